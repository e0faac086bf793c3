"""The package's version and who stands behind it."""

__version__ = "0.1.0"
__author__ = "The Hello Agents book authors"
__email__ = ""
__description__ = "Hello Agents: the book about LLM agents that runs, and the library it is about"
