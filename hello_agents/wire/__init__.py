"""The only code that knows a provider: domain messages to bytes and back."""
