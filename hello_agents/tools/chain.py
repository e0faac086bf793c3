"""Tool chains: tools called one after the other, each with what the ones before have found.

A fixed order needs no model. Where the next step depends on the last result, an agent is the better choice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..context.cutting import is_json
from .errors import ToolErrorCode
from .registry import ToolRegistry, result_text
from .response import ToolResponse, ToolStatus

_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a chain."""

    tool_name: str
    input_template: str
    """The input, with `{input}` for that of the chain and `{key}` for the output of an earlier step.

    Where it is a JSON object or array these stand inside its strings, and what they hold is escaped.
    """
    output_key: str


class ToolChain:
    """Steps in order, by name."""

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.description = description
        self.steps: list[Step] = []

    def add_step(self, tool_name: str, input_template: str, output_key: str | None = None) -> None:
        """Adds a step; its output is `step_1_result`, `step_2_result`, … unless a key is given."""
        self.steps.append(Step(tool_name, input_template, output_key or f"step_{len(self.steps) + 1}_result"))

    def execute(self, registry: ToolRegistry, input_data: str, context: dict[str, Any] | None = None) -> str:
        """The last output. A step that fails ends the chain, and its error is what comes out.

        Outputs are also put into `context`, if one is given.
        """
        values = {} if context is None else context
        values["input"] = input_data
        response = ToolResponse.error(ToolErrorCode.INVALID_PARAM, f"The chain {self.name!r} has no steps. Add one.")
        for step in self.steps:
            response = registry.execute_tool(step.tool_name, _filled(step, values))
            if response.status is ToolStatus.ERROR:
                break
            values[step.output_key] = response.text
        return result_text(response)


class ToolChainManager:
    """Chains by name, and the registry they run on."""

    def __init__(self, registry: ToolRegistry) -> None:
        self.registry = registry
        self.chains: dict[str, ToolChain] = {}

    def register_chain(self, chain: ToolChain) -> None:
        """Adds a chain, in place of one of the same name."""
        self.chains[chain.name] = chain

    def execute_chain(self, chain_name: str, input_data: str, context: dict[str, Any] | None = None) -> str:
        """Runs a chain. One that is not there is answered as an unknown tool is."""
        chain = self.chains.get(chain_name)
        if chain is None:
            names = ", ".join(self.chains) or "none"
            why = f"There is no chain {chain_name!r}. Registered: {names}."
            return result_text(ToolResponse.error(ToolErrorCode.NOT_FOUND, why))
        return chain.execute(self.registry, input_data, context)

    def list_chains(self) -> list[str]:
        return list(self.chains)

    def get_chain_info(self, chain_name: str) -> dict[str, Any] | None:
        """Name, description and steps; `None` when there is no such chain."""
        chain = self.chains.get(chain_name)
        if chain is None:
            return None
        steps = [
            {"tool_name": step.tool_name, "input_template": step.input_template, "output_key": step.output_key}
            for step in chain.steps
        ]
        return {"name": chain.name, "description": chain.description, "steps": len(steps), "step_details": steps}


def create_research_chain() -> ToolChain:
    """A chain that searches, then calculates with what was found."""
    chain = ToolChain("research_and_calculate", "Searches for a figure, then works out an expression with it.")
    chain.add_step("search", "{input}", "search_result")
    chain.add_step("python_calculator", "{search_result}", "calculation_result")
    return chain


def create_simple_chain() -> ToolChain:
    """A chain of one calculation."""
    chain = ToolChain("simple_demo", "Works out an expression.")
    chain.add_step("python_calculator", "{input}", "result")
    return chain


def _filled(step: Step, values: Mapping[str, Any]) -> str:
    """The input of a step. Other braces, as in JSON, are left alone."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            known = ", ".join(values)
            raise ValueError(f"{step.tool_name}: nothing is called {match[1]!r} in this chain yet. There is {known}.")
        said = str(values[match[1]])
        return json.dumps(said, ensure_ascii=False)[1:-1] if escaped else said

    escaped = is_json(step.input_template)
    return _FIELD.sub(value, step.input_template)
