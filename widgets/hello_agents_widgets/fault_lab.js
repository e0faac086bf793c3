// FaultLab: a switch for each tool, and step by step what went wrong, what the model read and what the breaker did.
import { button, callText, card, filled, link, mark, muted, notices, pill, pre, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { grouped, h, html } from "./parts.js";

export const FAULT_LABELS = {
  en: {
    fl_region: "Fault lab", fl_question: "Question", fl_threshold: "failures that open a breaker", fl_rest: "requests until it is tried again", fl_max_steps: "steps at most", fl_max_repeats: "equal calls at most", fl_max_failures: "failed calls at most",
    fl_run: "Run", fl_step: "Step", fl_none: "Switch all faults off", fl_nolimit: "no limit", fl_try: "Try:", fl_with: "with", fl_first: "the tool called first",
    fl_down: "one tool is down", fl_slow_: "slow tool", fl_garbled_: "garbled arguments", fl_repeats: "the model repeats itself",
    fl_tools: "Tools", fl_tool: "tool", fl_fault: "fault", fl_often: "how often", fl_breaker: "breaker", fl_asis: "as it is", fl_failing: "fails", fl_slow: "slow, given up at {n} s", fl_garbled: "garbled arguments", fl_repeated: "call repeated", fl_s_slow: "too slow",
    fl_every: "every call", fl_times: "the first {n}", fl_times1: "the first", fl_faultof: "fault of {name}", fl_oftenof: "how often, {name}", fl_notools: "This agent has no tools in a registry.",
    fl_closed: "closed", fl_open: "open", fl_half_open: "half-open", fl_hits: "failures in a row: {n}", fl_hitsof: "failures in a row: {n}; {m} open it", fl_nobreaker: "no breaker",
    fl_steps: "steps used: {n}", fl_stepsof: "steps used: {n} of {m}", fl_apart: "those of sub-agents apart", fl_failed: "failed calls: {n}", fl_failedof: "failed calls: {n} of {m}", fl_clock: "The breaker's clock goes on by {n} s with each request, so that a run shows the same every time.",
    fl_n: "Step {n}", fl_said: "answer", fl_reads: "the model reads", fl_told: "the model is told", fl_again: "said again by the lab, {n}", fl_unanswered: "not answered", fl_probe: "one call is let through to try", fl_spared: "spared: the tool was not called",
    fl_idle: "Switch something on and run, or try one of the cases above.", fl_ended: "How it ended", fl_earlier: "… {n} earlier steps", fl_inspect: "In a cell, .inspect() opens this run in the LoopInspector.", fl_copy: "copy",
    fl_e_finished: "The agent gave its answer.", fl_e_max_steps: "The limit of steps was reached; the model was asked once more, without tools.", fl_e_repeated_call: "The same call came too often with the same result; the loop was closed.", fl_e_degraded: "Too many calls failed; the model was asked to answer without tools.",
    fl_e_token_budget: "The budget of tokens was used up.", fl_e_max_total_steps: "The requests of the question and its sub-agents were used up.", fl_e_max_seconds: "The time was used up.", fl_e_max_cost: "The money was used up.", fl_e_error: "The model gave no reply.", fl_e_waiting: "The run waits for a person.", fl_e_other: "The agent ended it.",
  },
  zh: {
    fl_region: "故障实验室", fl_question: "问题", fl_threshold: "失败多少次后熔断", fl_rest: "多少次请求后再试", fl_max_steps: "最多步数", fl_max_repeats: "相同调用最多次数", fl_max_failures: "失败调用最多次数",
    fl_run: "运行", fl_step: "单步", fl_none: "关闭所有故障", fl_nolimit: "不限", fl_try: "试一试：", fl_with: "对象", fl_first: "最先调用的工具",
    fl_down: "一个工具不可用", fl_slow_: "工具很慢", fl_garbled_: "参数损坏", fl_repeats: "模型重复自己",
    fl_tools: "工具", fl_tool: "工具", fl_fault: "故障", fl_often: "频率", fl_breaker: "熔断器", fl_asis: "原样", fl_failing: "失败", fl_slow: "很慢，{n} 秒后放弃", fl_garbled: "参数损坏", fl_repeated: "重复调用", fl_s_slow: "太慢",
    fl_every: "每次调用", fl_times: "前 {n} 次", fl_times1: "第一次", fl_faultof: "{name} 的故障", fl_oftenof: "{name} 的频率", fl_notools: "该智能体的注册表里没有工具。",
    fl_closed: "闭合", fl_open: "断开", fl_half_open: "半开", fl_hits: "连续 {n} 次失败", fl_hitsof: "连续 {n} 次失败；{m} 次即熔断", fl_nobreaker: "无熔断器",
    fl_steps: "已用 {n} 步", fl_stepsof: "已用 {n} / {m} 步", fl_apart: "子智能体的步数另计", fl_failed: "{n} 次失败调用", fl_failedof: "{n} / {m} 次失败调用", fl_clock: "每次请求使熔断器的时钟前进 {n} 秒，因此每次运行显示相同。",
    fl_n: "第 {n} 步", fl_said: "回答", fl_reads: "模型读到", fl_told: "告诉模型", fl_again: "由实验室重复，第 {n} 次", fl_unanswered: "未得到回答", fl_probe: "放行一次调用以试探", fl_spared: "已跳过：没有调用工具",
    fl_idle: "打开某个故障并运行，或试试上面的情形。", fl_ended: "如何结束", fl_earlier: "… 前面还有 {n} 步", fl_inspect: "在单元格中，.inspect() 会在 LoopInspector 中打开这次运行。", fl_copy: "复制",
    fl_e_finished: "智能体给出了回答。", fl_e_max_steps: "达到步数上限；模型又被询问一次，不能使用工具。", fl_e_repeated_call: "相同的调用多次得到相同的结果；循环被关闭。", fl_e_degraded: "失败的调用太多；请模型不用工具作答。",
    fl_e_token_budget: "token 预算已用完。", fl_e_max_total_steps: "该问题及其子智能体的请求次数已用完。", fl_e_max_seconds: "时间已用完。", fl_e_max_cost: "费用已用完。", fl_e_error: "模型没有回复。", fl_e_waiting: "运行在等待人的决定。", fl_e_other: "由智能体结束。",
  },
};

const KNOBS = ["threshold", "rest", "max_steps", "max_repeats", "max_failures"];
const OFTEN = [1, 2, 3];
const SHOWN_STEPS = 40;
const DOTS = 8;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "" });

/** The rounds of the present run; those of earlier ones stay in the log. */
export const roundsNow = (snapshot) => (snapshot.rounds || []).filter((round) => round.run === snapshot.head.run);

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, FAULT_LABELS);
  const c = { head, ui, say, rounds: roundsNow(snapshot) };
  return h("div", { class: "hai", role: "region", "aria-label": `${say("fl_region")}: ${head.title}`, lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3", title: head.title }, head.title), head.kind && pill(head.kind),
      head.begun && pill(say("tokens", { n: grouped(head.tokens) })),
      h("span", { class: "hai-gap" }), ui.busy && h("span", { class: "hai-busy" }, say("busy")), button("image", say("saveimage"))),
    notices(c),
    setting(c),
    tools(c),
    used(c),
    h("section", { class: "hai-flow", "aria-label": say("steps") }, course(c)),
    h("footer", { class: "hai-foot" }, h("span", {}, say("fl_clock", { n: head.seconds })), head.begun && h("span", {}, say("fl_inspect"), " ", link("copy", "inspect", ui.copied ? say("copied") : say("fl_copy")))),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said || (head.ended ? ending(c).words : "")));
}

function setting({ head, ui, say }) {
  const able = head.tools.filter((tool) => tool.can.length > 0);
  return h("form", { class: "hai-labform", "data-form": "run" },
    h("div", { class: "hai-labask" },
      h("label", {}, say("fl_question"), h("input", { type: "text", "data-field": "question", value: head.question })),
      h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say("fl_run")), button("step", say("fl_step"), null, { disabled: ui.busy })),
    h("div", { class: "hai-labknobs" }, KNOBS.map((knob) => h("label", { key: knob }, say(`fl_${knob}`), h("input", { type: "number", min: "1", step: "1", "data-field": knob, value: head.knobs[knob] === null ? "" : String(head.knobs[knob]), placeholder: say("fl_nolimit") })))),
    h("div", { class: "hai-labtry" }, muted(say("fl_try")),
      head.presets.map((name) => button("preset", say({ slow: "fl_slow_", garbled: "fl_garbled_" }[name] || `fl_${name}`), null, { key: name, "data-arg": name, disabled: ui.busy || !able.length })),
      able.length > 1 && h("select", { "data-field": "tool", "aria-label": `${say("fl_with")} …` }, h("option", { value: "", selected: true }, `${say("fl_with")}: ${say("fl_first")}`), able.map((tool) => h("option", { value: tool.name }, tool.name)))));
}

function tools({ head, ui, say }) {
  if (!head.tools.length) return h("p", { class: "hai-empty hai-muted" }, say("fl_notools"));
  return h("section", { class: "hai-labtools", "aria-label": say("fl_tools") },
    h("table", { class: "hai-table" },
      h("thead", {}, h("tr", {}, ["fl_tool", "fl_fault", "fl_often", "fl_breaker"].map((name) => h("th", { key: name, scope: "col" }, say(name))))),
      h("tbody", {}, head.tools.map((tool) => h("tr", { key: tool.name }, h("th", { scope: "row" }, tool.name),
        h("td", {}, h("select", { "data-field": `kind ${tool.name}`, "data-live": "fault", "data-arg": tool.name, "aria-label": say("fl_faultof", { name: tool.name }), disabled: ui.busy },
          ["", ...tool.can].map((kind) => h("option", { key: kind, value: kind, selected: tool.fault === kind }, kind ? say(`fl_${kind}`, { n: tool.limit }) : say("fl_asis"))))),
        h("td", {}, h("select", { "data-field": `times ${tool.name}`, "data-live": "fault", "data-arg": tool.name, "aria-label": say("fl_oftenof", { name: tool.name }), disabled: ui.busy || !tool.fault },
          ["", ...new Set([...OFTEN, ...(tool.times ? [tool.times] : [])])].map((n) => h("option", { key: String(n), value: String(n), selected: (tool.times || "") === n }, n ? say(n === 1 ? "fl_times1" : "fl_times", { n }) : say("fl_every"))))),
        h("td", {}, breaker(say, head.knobs.threshold, tool.state, tool.failures)))))),
    head.tools.some((tool) => tool.fault) && h("div", { class: "hai-more" }, link("none", "", say("fl_none"), { disabled: ui.busy })));
}

/** A breaker: its state in words, and its failures as dots up to the threshold. */
function breaker(say, threshold, state, failures) {
  if (threshold === null) return muted(say("fl_nobreaker"));
  const words = say("fl_hits", { n: failures });
  return h("span", { class: "hai-breaker", title: say("fl_hitsof", { n: failures, m: threshold }) }, mark({ closed: "done", open: "err", half_open: "warn" }[state]), h("b", {}, say(`fl_${state}`)),
    threshold <= DOTS && Array.from({ length: threshold }, (_, i) => h("i", { key: String(i), class: i < failures ? "hai-hit" : "", "aria-hidden": "true" })),
    h("span", { class: threshold <= DOTS && failures <= threshold ? "hai-hidden" : "hai-more-hits hai-muted" }, words));
}

function used({ head, say, rounds }) {
  const failures = head.knobs.max_failures;
  return h("div", { class: "hai-labused" },
    filled(head.steps, head.most, null, say(head.most ? "fl_stepsof" : "fl_steps", { n: head.steps, m: head.most }), rounds.some((round) => round.frame) && `, ${say("fl_apart")}`),
    filled(head.failed, failures, null, say(failures ? "fl_failedof" : "fl_failed", { n: head.failed, m: failures })));
}

function course(c) {
  const { head, ui, say, rounds } = c;
  if (!rounds.length && !head.ended) return h("p", { class: "hai-muted" }, say("fl_idle"));
  const skipped = ui.all.steps ? 0 : Math.max(0, rounds.length - SHOWN_STEPS);
  return [
    skipped > 0 && h("div", { key: "earlier", class: "hai-more" }, link("all", "steps", say("fl_earlier", { n: skipped }))),
    ...rounds.slice(skipped).map((round) => stepCard(c, round)),
    head.ended && endCard(c),
  ];
}

function stepCard(c, round) {
  const { say } = c;
  const bad = round.calls.some((call) => call.status === "error");
  return card(bad ? "err" : round.calls.length ? "tool" : "model", `round ${round.run} ${round.n}`,
    [mark(bad ? "err" : round.calls.length ? "tool" : "model"), h("b", {}, say("fl_n", { n: round.n })), round.frame && muted(say("frame", { frame: round.frame })), !round.calls.length && muted(say("fl_said")), round.repeated > 0 && pill(say("fl_again", { n: round.repeated }), "warn")],
    round.told.length > 0 && h("p", { class: "hai-labtold" }, h("b", {}, `${say("fl_told")}: `), round.told.join("\n")),
    round.said && pre(c, `said ${round.run} ${round.n}`, round.said, "hai-pre hai-prose"),
    round.calls.map((call) => oneCall(c, round, call)));
}

function oneCall(c, round, call) {
  const { say, head } = c;
  const kind = call.status === "error" ? "err" : call.status === "partial" ? "warn" : "tool";
  const moved = call.before !== call.after;
  const words = { slow: "fl_s_slow" }[call.fault] || `fl_${call.fault}`;
  return h("div", { key: call.id, class: "hai-labcall" },
    h("div", { class: "hai-labhead" }, h("span", {}, call.arguments ? callText(call) : [h("span", { class: "hai-fn" }, call.name), "(…)"]),
      call.fault && pill([mark("warn"), " ", say(words)], "warn"),
      h("span", { class: "hai-gap" }),
      call.text !== null && head.knobs.threshold !== null && (moved || head.tools.some((tool) => tool.name === call.name)) && h("span", { class: "hai-breaker hai-muted" }, moved && [say(`fl_${call.before}`), " → "], breaker(say, head.knobs.threshold, call.after, call.failures))),
    call.text === null ? muted(say("fl_unanswered")) : h("div", { class: "hai-labread" },
      h("span", { class: "hai-labhead" }, mark(kind), muted(say("fl_reads")), call.status !== "success" && pill([say(call.status), call.code && ` ${call.code}`], kind), call.code === "CIRCUIT_OPEN" ? muted(say("fl_spared")) : call.before === "half_open" && muted(say("fl_probe"))),
      pre(c, `read ${round.run} ${round.n} ${call.id}`, call.text)));
}

function ending({ head, say }) {
  const name = `fl_e_${head.ended.reason}`;
  const known = say(name) !== name;
  return { words: known ? say(name) : `${say("fl_e_other")} (${head.ended.reason})`, kind: head.ended.reason === "finished" ? "done" : ["error"].includes(head.ended.reason) ? "err" : "warn" };
}

function endCard(c) {
  const { head, say } = c;
  const { words, kind } = ending(c);
  return card(kind, `end ${head.run}`, [mark(kind), h("b", {}, say("fl_ended")), pill(head.ended.reason, kind === "done" ? "tool" : kind), h("span", { class: "hai-gap" })],
    h("p", { class: "hai-labtold hai-plain" }, words), head.ended.answer && pre(c, `ended ${head.run}`, head.ended.answer, "hai-pre hai-prose"));
}

export function act(snapshot, ui, op, arg, fields) {
  const knobs = () => Object.fromEntries([...KNOBS, "question"].map((name) => [name, fields[name]]));
  switch (op) {
    case "run": return { send: { op: "run", args: knobs() }, wait: true };
    case "step": return { send: { op: "step", args: knobs() }, wait: true };
    case "preset": return { send: { op: "preset", args: { ...knobs(), name: arg, tool: fields.tool || "" } }, wait: true };
    case "fault": return { send: { op: "fault", args: { tool: arg, kind: fields[`kind ${arg}`], times: fields[`times ${arg}`] || null } } };
    case "none": return { send: { op: "none", args: {} }, wait: true };
    case "copy": return { copy: "lab.inspect()" };
    case "image": return { image: "faults" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
