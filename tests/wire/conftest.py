from hypothesis import settings
from support.anthropic_server import anthropic_server
from support.gemini_server import gemini_server
from support.openai_server import openai_server

__all__ = ["anthropic_server", "gemini_server", "openai_server"]

# How long an example takes says more about the machine than about the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
