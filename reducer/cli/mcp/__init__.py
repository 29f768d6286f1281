"""The commands as tools for agents: a server of the Model Context Protocol (docs/agents.md)."""
