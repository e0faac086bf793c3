"""Errors of the library."""


class HelloAgentsException(Exception):
    """Any error of this library."""


class LLMException(HelloAgentsException):
    """The model could not be asked, or its answer not be read."""


class AgentException(HelloAgentsException):
    """An agent was used in a way it cannot serve."""


class ConfigException(HelloAgentsException):
    """Settings are missing or contradict each other."""


class ToolException(HelloAgentsException):
    """A tool was declared or registered wrongly."""
