"""The MCP server, an extra: `yoimem[mcp]`."""

from yoimem.interfaces.mcp_server.records import ERROR_CODE, RECORD_TEMPLATE, RECORD_URI, SUMMARY
from yoimem.interfaces.mcp_server.server import serve

__all__ = ["ERROR_CODE", "RECORD_TEMPLATE", "RECORD_URI", "SUMMARY", "serve"]
