"""People made to order: invented lives, their files, and tasks whose answers are known."""
