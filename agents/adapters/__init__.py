"""Desks in other people's frameworks: each adapter is an extra, and imports what it adapts late."""
