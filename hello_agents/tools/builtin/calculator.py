"""The calculator: arithmetic, read from a syntax tree and never evaluated as code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from ...catalogue import text
from ..base import Tool, ToolErrorCode, ToolParameter, ToolResponse

Number = int | float

MAX_LENGTH = 1000
"""Characters of an expression that are read."""
MAX_BITS = 4096
"""Bits of the largest whole number (about 1,200 digits)."""

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
}
_CONSTANTS: Mapping[str, float] = {"pi": math.pi, "e": math.e}
_NAMES = ", ".join((*_FUNCTIONS, *_CONSTANTS))

_SPELLINGS = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "＋": "+", "－": "-", "＊": "*", "／": "/", "^": "**"}
    | {"（": "(", "）": ")", "，": ",", "．": ".", "π": "pi"}
    | {chr(0xFF10 + digit): str(digit) for digit in range(10)}
)
"""How people write what Python spells otherwise. `^` is a power here, as on paper."""


class CalculatorError(ValueError):
    """An expression that cannot be worked out; the message says why."""


class CalculatorTool(Tool):
    """A tool that works out arithmetic."""

    def __init__(self, *, language: str = "en") -> None:
        super().__init__("python_calculator", text("calculator.description", language))
        self._language = language

    def get_parameters(self) -> list[ToolParameter]:
        return [ToolParameter("input", "string", text("calculator.input", self._language))]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        expression = str(parameters.get("input") or "")
        try:
            result = evaluate(expression, self._language)
        except CalculatorError as error:
            return ToolResponse.error(ToolErrorCode.INVALID_PARAM, str(error))
        return ToolResponse.success(show(result), {"expression": expression, "result": result})


def calculate(expression: str) -> str:
    """The result of an expression as text, or what is wrong with it."""
    try:
        return show(evaluate(expression))
    except CalculatorError as error:
        return str(error)


def evaluate(expression: str, language: str = "en") -> Number:
    """The value of an arithmetic expression. Raises `CalculatorError`."""
    written = expression.translate(_SPELLINGS).strip().removesuffix("=").strip()
    if not written:
        raise CalculatorError(text("calculator.empty", language))
    if len(written) > MAX_LENGTH:
        raise CalculatorError(text("calculator.long", language, size=len(written), limit=MAX_LENGTH))
    try:
        return _Evaluation(written, language).value(ast.parse(written, mode="eval").body)
    except CalculatorError:
        raise
    except SyntaxError as error:
        raise _not_arithmetic(written, error.offset or 1, language) from None
    except (ValueError, RecursionError, MemoryError):
        # A NUL, or nested too deeply for the parser or for us.
        raise _not_arithmetic(written, 1, language) from None


def show(value: Number) -> str:
    """A number as people write it: whole numbers without a point, others to 12 digits."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, int) else format(value, ".12g")


def _not_arithmetic(written: str, position: int, language: str) -> CalculatorError:
    return CalculatorError(text("calculator.syntax", language, expression=written, position=position))


class _Evaluation:
    """The walk over one expression's tree."""

    def __init__(self, written: str, language: str) -> None:
        self._written = written
        self._language = language

    def value(self, node: ast.expr) -> Number:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self._checked(node, lambda: number)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.BinOp(left=left, op=sign, right=right):
                return self._binary(node, sign, self.value(left), self.value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name not in _FUNCTIONS:
                    raise self._fault("calculator.name", name=name, names=_NAMES)
                values = [self.value(argument) for argument in arguments]
                if name == "round" and len(values) == 2 and isinstance(values[1], int) and values[1] < -MAX_BITS:
                    # Python would work out the power of ten that it rounds to.
                    return 0
                return self._checked(node, lambda: _FUNCTIONS[name](*values))
            case ast.Name(id=name):
                if name not in _CONSTANTS:
                    raise self._fault("calculator.name", name=name, names=_NAMES)
                return _CONSTANTS[name]
            case ast.Tuple():
                raise self._fault("calculator.comma")
            case _:
                raise self._fault("calculator.unsupported", part=self._part(node), names=_NAMES)

    def _binary(self, node: ast.expr, sign: ast.operator, left: Number, right: Number) -> Number:
        match sign:
            case ast.Add():
                return self._checked(node, lambda: left + right)
            case ast.Sub():
                return self._checked(node, lambda: left - right)
            case ast.Mult():
                return self._checked(node, lambda: left * right)
            case ast.Div():
                return self._checked(node, lambda: left / right)
            case ast.FloorDiv():
                return self._checked(node, lambda: left // right)
            case ast.Mod():
                return self._checked(node, lambda: left % right)
            case ast.Pow():
                # The size is known before the work is done: 9 ** 9 ** 9 would not end.
                whole = isinstance(left, int) and isinstance(right, int)
                if whole and abs(left) > 1 and right * int(abs(left)).bit_length() > 2 * MAX_BITS:
                    raise self._fault("calculator.large")
                return self._checked(node, lambda: left**right)
            case _:
                raise self._fault("calculator.unsupported", part=self._part(node), names=_NAMES)

    def _checked(self, node: ast.expr, work: Callable[[], Any]) -> Number:
        try:
            result = work()
        except ZeroDivisionError:
            raise self._fault("calculator.zero") from None
        except OverflowError:
            raise self._fault("calculator.large") from None
        except (ValueError, TypeError) as error:
            raise self._fault("calculator.domain", part=self._part(node), why=str(error)) from None
        match result:
            case int() if result.bit_length() <= MAX_BITS:
                return result
            case float() if math.isfinite(result):
                return result
            case int() | float():
                raise self._fault("calculator.large")
            case _:
                raise self._fault("calculator.domain", part=self._part(node), why="it is a complex number")

    def _part(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._written, node) or self._written

    def _fault(self, key: str, **values: object) -> CalculatorError:
        return CalculatorError(text(key, self._language, **values))
