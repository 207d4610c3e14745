"""Environments over the network: the server (`app.create_app`) and its clients."""
