// What the inspector knows: the snapshot that Python sends, and what can be read from it. All of it pure.

/** The snapshot, put together from the head and the log. The log only grows, so what is known already is kept. */
export function assemble(get, known = null) {
  const head = get("head");
  const had = known && known.head.logs <= head.logs ? known : { head: { logs: 0 }, ticks: [], messages: [], tools: [], envelopes: [] };
  for (let i = had.head.logs; i < head.logs; i++) {
    const log = get(`log_${i}`) || {};
    for (const name of ["ticks", "messages", "tools", "envelopes"]) if (log[name]) had[name].push(...log[name]);
  }
  return { ...had, head };
}

/** The ticks of a branch, oldest first. */
export function pathOf(snapshot, tip) {
  const path = [];
  for (let id = tip; id >= 0; id = snapshot.ticks[id].up) path.push(id);
  return path.reverse();
}

/** The numbers of the messages in a frame, after these ticks. */
export function conversation(snapshot, path, frame = "") {
  const list = [];
  for (const id of path)
    for (const [where, at, dropped, put] of snapshot.ticks[id].ops) if (where === frame) list.splice(at, dropped, ...put);
  return list;
}

/** A request as recorded (`asked`) or as it comes next (`coming`), with the ticks that go before it. */
export function requestAt(snapshot, path, at, coming = false) {
  const tick = snapshot.ticks[path[at]];
  if (coming) return tick.next && tick.next.request ? { ...tick.next.request, before: path.slice(0, at + 1) } : null;
  return tick.request ? { ...tick.request, frame: tick.frame, toolset: tick.toolset, before: path.slice(0, at) } : null;
}

/** The numbers of the messages that a request carries. */
export function requestMessages(snapshot, request) {
  const had = conversation(snapshot, request.before, request.frame);
  return request.parts.flatMap((part) => (Array.isArray(part) ? had.slice(part[0], part[1]) : [part]));
}

/** The body of a request, byte for byte as it is sent. */
export function requestText(snapshot, request) {
  const wires = requestMessages(snapshot, request).map((id) => snapshot.messages[id].wire).filter(Boolean);
  const tools = request.toolset >= 0 ? snapshot.tools[request.toolset].wire : "[]";
  // Both places are filled in one go and once each, so that nothing that was filled in is looked at again.
  const places = { messages: `[${wires.join(",")}]`, tools };
  return snapshot.envelopes[request.envelope].replace(/"(messages|tools)":\[\]/g, (place, name) => {
    const text = places[name];
    delete places[name];
    return text === undefined ? place : `"${name}":${text}`;
  });
}

const parsed = new WeakMap();
function wireOf(message) {
  if (!parsed.has(message)) parsed.set(message, message.wire ? JSON.parse(`[${message.wire}]`)[0] : {});
  return parsed.get(message);
}

export function contentOf(message) {
  return message.text !== undefined ? message.text : wireOf(message).content || "";
}

export function callsOf(message) {
  const wire = wireOf(message).tool_calls || [];
  return (message.calls || []).map((call, i) => ({ ...call, arguments: wire[i] ? wire[i].function.arguments : "{}" }));
}

const above = (frame) => frame.slice(0, Math.max(0, frame.lastIndexOf("/")));
export const within = (frame, id) => (frame ? `${frame}/${id}` : id);

/** A frame and those it is in, innermost first, without the root. */
function chainOf(frame) {
  const chain = [];
  for (let one = frame; one; one = above(one)) chain.push(one);
  return chain;
}

/**
 * Ticks gathered into rounds: a question, or one request with everything that came of it in the same frame. What a frame
 * does after those below it is a round of its own; frames side by side do not break each other's.
 */
export function roundsOf(snapshot, path) {
  const rounds = [];
  const open = new Map();
  const below = new Map();
  path.forEach((id, at) => {
    const tick = snapshot.ticks[id];
    const kind = tick.kind === "ask" ? "ask" : ["told", "start"].includes(tick.kind) ? "told" : "";
    const last = open.get(tick.frame);
    const opens = !last || kind === "ask" || (kind === "told" && last.kind !== "told") || (below.get(tick.frame) ?? -1) > last.to;
    if (opens) {
      const round = { kind: kind || (rounds.length ? "rest" : "told"), frame: tick.frame, from: at, to: at, ids: [id], ats: [at] };
      rounds.push(round);
      open.set(tick.frame, round);
    } else {
      last.to = at;
      last.ids.push(id);
      last.ats.push(at);
    }
    for (const one of chainOf(tick.frame)) below.set(above(one), at);
  });
  let n = 0;
  for (const round of rounds) {
    round.number = round.kind === "ask" ? (n += 1) : null;
    Object.assign(round, summary(snapshot, round));
  }
  return rounds;
}

function summary(snapshot, round) {
  const ticks = round.ids.map((id) => snapshot.ticks[id]);
  const put = ticks.flatMap((tick) => tick.ops.filter(([where]) => where === round.frame).flatMap((op) => op[3])).map((id) => snapshot.messages[id]);
  const calls = put.filter((one) => one.role === "assistant").flatMap((one) => one.calls || []);
  return {
    names: calls.map((call) => call.name),
    tokens: put.reduce((sum, one) => sum + one.tokens, 0),
    failed: put.some((one) => one.status === "error") || ticks.some((tick) => (tick.notes || []).some((note) => note.step)),
    results: put.filter((one) => one.role === "tool").map((one) => one.tool || ""),
    start: ticks[0].kind === "start",
    // An answer that the agent gave itself, such as the last draft of a reflection.
    answers: round.kind === "told" && put.length > 0 && put.every((one) => one.role === "assistant"),
    handed: ticks.flatMap((tick) => (tick.spawned || []).map((one) => one.agent)),
    compact: (ticks.find((tick) => tick.compact) || {}).compact || null,
    context: ticks.some((tick) => tick.context),
    stopped: ticks.some((tick) => tick.stop),
  };
}

/**
 * The list of the steps: the rounds in their order, those of a child together, below the round that began it and under a row
 * that names it. Items are `{round}`, the place among the rounds, or `{frame, depth, at}`.
 */
function orderOf(snapshot, path, rounds, roundAt) {
  const lists = new Map([["", []]]);
  const listOf = (frame, at) => {
    if (!lists.has(frame)) {
      lists.set(frame, []);
      listOf(above(frame), at).push({ frame, depth: chainOf(frame).length, at });
    }
    return lists.get(frame);
  };
  path.forEach((id, at) => {
    const tick = snapshot.ticks[id];
    const place = roundAt[at];
    if (rounds[place].from === at) listOf(tick.frame, at).push({ round: place });
    for (const one of tick.spawned || []) listOf(within(tick.frame, one.id), at);
  });
  const order = [];
  const walk = (list) => list.forEach((item) => {
    order.push(item);
    if (item.frame) walk(lists.get(item.frame));
  });
  walk(lists.get(""));
  return order;
}

/** The list without what is folded away, and what was folded counted on the row that stands for it. */
export function listed(derived, folded) {
  if (!Object.values(folded).some(Boolean)) return derived.order;
  return derived.order.filter((item) => {
    const chain = chainOf(item.frame || derived.rounds[item.round].frame);
    return !chain.slice(item.frame ? 1 : 0).some((frame) => folded[frame]);
  });
}

/** Where a round stands in such a list: its own row, or that of the outermost folded frame that it is in. */
export function placeOf(derived, items, round) {
  if (round < 0) return -1;
  const own = items.findIndex((item) => item.round === round);
  if (own >= 0) return own;
  const chain = chainOf(derived.rounds[round].frame);
  return items.findIndex((item) => chain.includes(item.frame) && !items.some((other) => other.frame && chain.includes(other.frame) && other.depth > item.depth));
}

/** What became of each child: who it is, where it began and ended, its requests and tokens, those below it counted in. */
function childrenOf(snapshot, path) {
  const children = new Map();
  path.forEach((id, at) => {
    const tick = snapshot.ticks[id];
    for (const frame of chainOf(tick.frame)) {
      const child = children.get(frame);
      if (!child) continue;
      child.first = child.first ?? at;
      child.last = at;
      child.steps += tick.kind === "ask" ? 1 : 0;
      child.tokens += tick.usage || 0;
    }
    const own = children.get(tick.frame);
    if (own && tick.stop) Object.assign(own, { end: at, reason: tick.stop.reason });
    for (const one of tick.spawned || [])
      children.set(within(tick.frame, one.id), { ...one, frame: within(tick.frame, one.id), above: tick.frame, began: at, first: null, last: at, end: null, reason: null, steps: 0, tokens: 0, lane: "", beside: null });
  });
  lanesOf(children);
  return children;
}

const laneName = (i) => (i < 26 ? String.fromCharCode(65 + i) : String(i + 1));

/** Children of one run that were at work at the same time get a letter each, and know of each other. */
function lanesOf(children) {
  const families = new Map();
  for (const child of children.values()) if (child.first !== null) families.set(child.above, [...(families.get(child.above) || []), child]);
  for (const family of families.values()) {
    let group = [];
    let end = -1;
    const close = () => group.length > 1 && group.forEach((child, i) => Object.assign(child, { lane: laneName(i), beside: group }));
    for (const child of family.sort((a, b) => a.first - b.first)) {
      if (child.first > end) {
        close();
        group = [];
      }
      group = [...group, child];
      end = Math.max(end, child.last);
    }
    close();
  }
}

/** The children side by side that a frame is one of, or inside of; `null` when it was alone at work. */
export function besideOf(derived, frame) {
  const one = chainOf(frame).map((part) => derived.children.get(part)).find((child) => child && child.beside);
  return one ? one.beside : null;
}

/** Where the other branches leave this one: `Map(tick id -> [branch])`. */
export function forksOf(snapshot, path, branch) {
  const here = new Set(path);
  const forks = new Map();
  for (const other of snapshot.head.branches) {
    if (other.name === branch) continue;
    let id = other.tip;
    while (id >= 0 && !here.has(id)) id = snapshot.ticks[id].up;
    forks.set(id, [...(forks.get(id) || []), other]);
  }
  return forks;
}

/** What the view needs to know, worked out once for a snapshot and a branch. */
export function derive(snapshot, branch) {
  const chosen = snapshot.head.branches.find((one) => one.name === branch) || { tip: -1, name: branch };
  const path = pathOf(snapshot, chosen.tip);
  const rounds = roundsOf(snapshot, path);
  const roundAt = [];
  rounds.forEach((round, place) => round.ats.forEach((at) => (roundAt[at] = place)));
  const order = orderOf(snapshot, path, rounds, roundAt);
  const children = childrenOf(snapshot, path);
  const frames = new Map([...children.values()].map((child) => [child.frame, child.agent]));
  return { path, rounds, roundAt, order, children, frames, forks: forksOf(snapshot, path, branch), branch: chosen };
}

/** The name of the agent that works in a frame. */
export const agentOf = (derived, frame) => derived.frames.get(frame) || frame;

/** Where the reader stands: branch, index of the last tick carried out, and the round that it is in. */
export function stand(snapshot, ui, derived) {
  const at = Math.min(ui.cursor === null ? snapshot.head.cursor : ui.cursor, derived.path.length - 1);
  return { at, row: at < 0 ? -1 : derived.roundAt[at] };
}
