"""The programs that `deskgym.agents.dbquery` runs in the desk, as the agent's user.

Their source is sent there as it stands. So they use the standard library alone, import each other
by relative names, and nothing else of ours: below /scratch they are a package of another name.
"""
