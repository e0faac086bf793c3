// RunTree: frames as an indented tree with bars, and beside it what one of them was asked, answered and allowed.
import { breakable, button, card, heading, link, mark, muted, notices, pairs, pill, pre, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { longList, showing } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const TREE_LABELS = {
  en: {
    rt_region: "Run tree", rt_frames: "{n} frames", rt_frames1: "1 frame", rt_steps: "{n} steps", rt_calls: "{n} calls", rt_frame: "frame", rt_tokens: "tokens", rt_share: "share", rt_steps_: "steps", rt_ended: "ended",
    rt_own: "own tokens", rt_below: "tokens of the frames below", rt_unfinished: "unfinished", rt_question: "Question", rt_answer: "Answer", rt_noanswer: "There is no answer yet.", rt_noquestion: "It was asked nothing.", rt_numbers: "What it took", rt_limits: "What it may",
    rt_all: "all tools of its agent", rt_notools: "no tools", rt_filter: "tools on offer", rt_max_steps: "steps", rt_max_tokens: "tokens", rt_max_repeats: "equal calls", rt_max_calls_per_tool: "calls of one tool", rt_max_failures: "failed calls", rt_max_total_steps: "steps with those below", rt_max_seconds: "seconds", rt_max_cost: "cost", rt_nolimit: "Without limit: {names}.",
    rt_prompt: "prompt tokens", rt_completion: "completion tokens", rt_sum: "tokens in all", rt_used: "tools used", rt_times: "{name} × {n}", rt_none: "none", rt_failed: "failed calls", rt_cut: "The beginning; .inspect() shows it whole.",
    rt_open: "In a cell, this opens the frame in the LoopInspector:", rt_foldall: "Fold all", rt_unfoldall: "Unfold all", rt_copy: "copy", rt_adds: "Together, the own tokens of all frames are {n}.", rt_path: "path",
  },
  zh: {
    rt_region: "运行树", rt_frames: "{n} 个帧", rt_frames1: "1 个帧", rt_steps: "{n} 步", rt_calls: "{n} 次调用", rt_frame: "帧", rt_tokens: "token", rt_share: "占比", rt_steps_: "步数", rt_ended: "结局",
    rt_own: "自身 token", rt_below: "下级帧 token", rt_unfinished: "未结束", rt_question: "问题", rt_answer: "回答", rt_noanswer: "还没有回答。", rt_noquestion: "没有提问。", rt_numbers: "消耗", rt_limits: "限制",
    rt_all: "其智能体的全部工具", rt_notools: "没有工具", rt_filter: "可用工具", rt_max_steps: "步数", rt_max_tokens: "token", rt_max_repeats: "相同调用", rt_max_calls_per_tool: "单个工具的调用", rt_max_failures: "失败调用", rt_max_total_steps: "含下级的步数", rt_max_seconds: "秒", rt_max_cost: "费用", rt_nolimit: "无限制：{names}。",
    rt_prompt: "提示 token", rt_completion: "生成 token", rt_sum: "token 合计", rt_used: "用过的工具", rt_times: "{name} × {n}", rt_none: "无", rt_failed: "失败调用", rt_cut: "仅开头；.inspect() 显示全文。",
    rt_open: "在单元格中，这会在 LoopInspector 中打开该帧：", rt_foldall: "全部折叠", rt_unfoldall: "全部展开", rt_copy: "复制", rt_adds: "所有帧自身的 token 之和为 {n}。", rt_path: "路径",
  },
};

const ROW_TALL = 44;
const LIMITS = ["max_steps", "max_tokens", "max_repeats", "max_calls_per_tool", "max_failures", "max_total_steps", "max_seconds", "max_cost"];

export const freshUi = ({ head }) => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", chosen: head.chosen, folded: {}, rows: {} });

/** The frames that are not hidden below a folded one, in their order. */
export function unfolded(frames, folded) {
  const shown = [];
  let under = null;
  for (const one of frames) {
    if (under !== null && one.depth > under) continue;
    under = folded[one.frame] && one.children ? one.depth : null;
    shown.push(one);
  }
  return shown;
}

export function view(snapshot, ui = freshUi(snapshot)) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, TREE_LABELS);
  const c = { head, ui, say, frames: snapshot.frames || [] };
  c.chosen = c.frames.find((one) => one.frame === ui.chosen) || c.frames[0];
  const some = Object.values(ui.folded).some(Boolean);
  return h("div", { class: "hai", role: "region", "aria-label": `${say("rt_region")}: ${head.title}`, lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3", title: head.title }, head.title),
      pill(say(head.count === 1 ? "rt_frames1" : "rt_frames", { n: grouped(head.count) })), pill(say("rt_steps", { n: grouped(head.steps) })), pill(say("tokens", { n: grouped(head.tokens) })), pill(say("rt_calls", { n: grouped(head.calls) })),
      h("span", { class: "hai-gap" }), head.count > 1 && button("foldall", say(some ? "rt_unfoldall" : "rt_foldall")), button("image", say("saveimage"))),
    notices(c),
    h("div", { class: "hai-treebox" }, tree(c), c.chosen && reading(c, c.chosen)),
    h("footer", { class: "hai-foot" }, h("span", {}, h("i", { class: "hai-treekey hai-b-own", "aria-hidden": "true" }), say("rt_own")), h("span", {}, h("i", { class: "hai-treekey hai-b-below", "aria-hidden": "true" }), say("rt_below")), h("span", {}, say("rt_adds", { n: grouped(c.frames.reduce((sum, one) => sum + one.own, 0)) }))),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

const headRow = (say) => h("div", { class: "hai-treehead", "aria-hidden": "true", "data-sticky": "true" }, ["rt_frame", "rt_share", "rt_tokens", "rt_steps_", "rt_ended"].map((name) => h("span", { key: name }, say(name))));

/** A tree that is not long has as much room as it needs, and its names wrap. */
function tree(c) {
  const { ui, say } = c;
  const shown = unfolded(c.frames, ui.folded);
  const { from, to, long, scroller, above, below } = longList(ui, "frames", shown.length, ROW_TALL, { tag: "div" });
  const stop = shown.includes(c.chosen) ? c.chosen : shown[0];
  return h("div", { class: `hai-treescroll${long ? " hai-longtree" : ""}`, "data-list": "frames", ...scroller },
    headRow(say),
    h("div", { role: "tree", "aria-label": say("rt_region") }, above, shown.slice(from, to).map((one) => row(c, one, one === c.chosen, one === stop)), below));
}

function endOf(one, say) {
  if (one.outcome === null) return ["warn", say("rt_unfinished")];
  return one.outcome === "finished" ? ["done", one.outcome] : ["err", one.outcome];
}

const wide = (part, whole) => `width:${((100 * part) / Math.max(whole, 1)).toFixed(2)}%`;

function row({ head, ui, say }, one, chosen, stop) {
  const [kind, words] = endOf(one, say);
  const open = !ui.folded[one.frame];
  return h("button", { key: `f ${one.frame}`, type: "button", role: "treeitem", class: "hai-treerow", "data-op": "choose", "data-arg": one.frame, "aria-level": String(one.depth + 1), "aria-selected": chosen ? "true" : "false", "aria-expanded": one.children ? (open ? "true" : "false") : null, tabindex: stop ? "0" : "-1" },
    h("span", { class: "hai-treename", style: `padding-left:${Math.min(one.depth, 12) * 16}px`, title: [one.agent, one.frame].filter(Boolean).join(" · ") },
      one.children ? h("span", { class: "hai-fold", "data-op": "fold", "data-arg": one.frame, "aria-hidden": "true" }, open ? "▾" : "▸") : h("span", { class: "hai-fold", "aria-hidden": "true" }),
      h("span", { class: "hai-treewho" }, h("b", {}, breakable(one.agent)), one.id && [" ", h("span", { class: "hai-muted hai-treeid" }, one.id)]),
      h("span", { class: "hai-muted hai-treesays", "aria-hidden": "true" }, (one.answer === null ? one.question : one.answer).split("\n")[0])),
    h("span", { class: "hai-treebar", "aria-hidden": "true" }, h("i", { class: "hai-b-own", style: wide(one.own, head.tokens) }), h("i", { class: "hai-b-below", style: wide(one.tokens - one.own, head.tokens) })),
    h("span", { class: "hai-num" }, grouped(one.tokens), h("span", { class: "hai-hidden" }, ` ${say("rt_tokens")}`)),
    h("span", { class: "hai-num" }, String(one.steps), h("span", { class: "hai-hidden" }, ` ${say("rt_steps_")}`)),
    h("span", { class: "hai-treeend" }, mark(kind), h("span", {}, words)));
}

function reading(c, one) {
  const { say } = c;
  const [kind, words] = endOf(one, say);
  const { limits } = one;
  const filter = limits.tools === null ? say("rt_all") : limits.tools.length ? limits.tools.join(", ") : say("rt_notools");
  const code = one.frame ? `tree.inspect(${JSON.stringify(one.frame)})` : "tree.inspect()";
  return h("section", { class: "hai-flow", "aria-label": one.agent },
    h("div", { class: "hai-treetitle" }, mark(kind), h("b", {}, breakable(one.agent)), pill(words, kind === "done" ? "tool" : kind)),
    one.frame && h("span", { class: "hai-muted hai-code" }, `${say("rt_path")}: ${one.frame}`),
    text(c, "user", "rt_question", one.question || say("rt_noquestion"), one.cut[0], one),
    text(c, kind === "done" ? "done" : kind, "rt_answer", one.answer === null ? say("rt_noanswer") : one.answer, one.cut[1], one),
    h("div", { class: "hai-treefacts" },
      h("div", {}, heading(say("rt_numbers")),
        pairs([[say("rt_steps_"), String(one.steps)], [say("rt_prompt"), grouped(one.prompt)], [say("rt_completion"), grouped(one.completion)], [say("rt_own"), grouped(one.own)], [say("rt_below"), grouped(one.tokens - one.own)], [say("rt_sum"), grouped(one.tokens)], [say("rt_failed"), String(one.failed)],
          [say("rt_used"), Object.entries(one.tools).map(([name, n]) => say("rt_times", { name, n })).join(", ") || say("rt_none")]])),
      h("div", {}, heading(say("rt_limits")),
        pairs([[say("rt_filter"), filter], ...LIMITS.filter((name) => limits[name] !== null).map((name) => [say(`rt_${name}`), Number.isInteger(limits[name]) ? grouped(limits[name]) : String(limits[name])])]),
        LIMITS.some((name) => limits[name] === null) && h("p", { class: "hai-muted" }, say("rt_nolimit", { names: LIMITS.filter((name) => limits[name] === null).map((name) => say(`rt_${name}`)).join(", ") })))),
    h("p", { class: "hai-muted" }, say("rt_open"), " ", h("span", { class: "hai-code" }, code), " ", link("copy", code, c.ui.copied ? say("copied") : say("rt_copy"))));
}

function text(c, kind, name, words, cut, one) {
  return card(kind, `${name} ${one.frame}`, [mark(kind), h("b", {}, c.say(name))], pre(c, `${name} ${one.frame}`, words, "hai-pre hai-prose"), cut && h("p", { class: "hai-more hai-muted" }, c.say("rt_cut")));
}

export function act(snapshot, ui, op, arg) {
  const frames = snapshot.frames || [];
  const choose = (one) => {
    if (!one) return {};
    const { rows } = showing(ui, "frames", unfolded(frames, ui.folded).indexOf(one));
    return { ui: { rows, chosen: one.frame, copied: false }, send: { op: "choose", args: { frame: one.frame } }, focus: `[data-op=choose][data-arg="${one.frame.replace(/["\\]/g, "\\$&")}"]` };
  };
  const fold = (path, yes) => ({ ui: { folded: { ...ui.folded, [path]: yes } } });
  switch (op) {
    case "choose": return choose(frames.find((one) => one.frame === arg));
    case "fold": return fold(arg, !ui.folded[arg]);
    case "foldall": return { ui: { folded: Object.values(ui.folded).some(Boolean) ? {} : Object.fromEntries(frames.filter((one) => one.children && one.frame).map((one) => [one.frame, true])) } };
    case "down": case "up": case "first": case "last": {
      const shown = unfolded(frames, ui.folded);
      const at = shown.findIndex((one) => one.frame === ui.chosen);
      const to = { down: Math.min(at + 1, shown.length - 1), up: Math.max(at - 1, 0), first: 0, last: shown.length - 1 }[op];
      return choose(shown[to]);
    }
    case "right": case "left": {
      const one = frames.find((each) => each.frame === ui.chosen);
      if (!one) return {};
      const open = one.children > 0 && !ui.folded[one.frame];
      if (op === "right") return one.children && !open ? fold(one.frame, false) : {};
      return open ? fold(one.frame, true) : choose(frames.find((each) => each.frame === one.frame.split("/").slice(0, -1).join("/")));
    }
    case "copy": return { copy: arg };
    case "image": return { image: snapshot.head.title };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { ArrowDown: "down", ArrowUp: "up", ArrowRight: "right", ArrowLeft: "left", Home: "first", End: "last" }, follow: ({ head }) => ({ chosen: head.chosen }), label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
