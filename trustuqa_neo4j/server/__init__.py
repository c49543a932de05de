"""The web server of ``tuqa serve``: page, API, chat and MCP over one client."""
