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

/** Ticks gathered into rounds: a question, or one request with everything that came of it in the same frame. */
export function roundsOf(snapshot, path) {
  const rounds = [];
  path.forEach((id, at) => {
    const tick = snapshot.ticks[id];
    const kind = tick.kind === "ask" ? "ask" : ["told", "start"].includes(tick.kind) ? "told" : "";
    const last = rounds[rounds.length - 1];
    const opens = !last || kind === "ask" || (kind === "told" && last.kind !== "told") || last.frame !== tick.frame;
    if (opens) rounds.push({ kind: kind || (last ? "rest" : "told"), frame: tick.frame, from: at, to: at, ids: [id] });
    else {
      last.to = at;
      last.ids.push(id);
    }
  });
  let n = 0;
  for (const round of rounds) {
    round.number = round.kind === "ask" ? (n += 1) : null;
    Object.assign(round, summary(snapshot, round));
  }
  return rounds;
}

function summary(snapshot, round) {
  const put = round.ids.flatMap((id) => snapshot.ticks[id].ops.flatMap((op) => op[3])).map((id) => snapshot.messages[id]);
  const calls = put.filter((one) => one.role === "assistant").flatMap((one) => one.calls || []);
  return {
    names: calls.map((call) => call.name),
    tokens: put.reduce((sum, one) => sum + one.tokens, 0),
    failed: put.some((one) => one.status === "error") || round.ids.some((id) => (snapshot.ticks[id].notes || []).some((note) => note.step)),
    results: put.filter((one) => one.role === "tool").map((one) => one.tool || ""),
    start: snapshot.ticks[round.ids[0]].kind === "start",
  };
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

/** The agents that work in the frames of a path, by frame. */
export function framesOf(snapshot, path) {
  const frames = new Map();
  for (const id of path) {
    const { frame, spawned } = snapshot.ticks[id];
    for (const one of spawned || []) frames.set(frame ? `${frame}/${one.id}` : one.id, one.agent);
  }
  return frames;
}

/** What the view needs to know, worked out once for a snapshot and a branch. */
export function derive(snapshot, branch) {
  const chosen = snapshot.head.branches.find((one) => one.name === branch) || { tip: -1, name: branch };
  const path = pathOf(snapshot, chosen.tip);
  return { path, rounds: roundsOf(snapshot, path), forks: forksOf(snapshot, path, branch), frames: framesOf(snapshot, path), branch: chosen };
}

/** Where the reader stands: branch, index of the last tick carried out, and the round that it is in. */
export function stand(snapshot, ui, derived) {
  const at = Math.min(ui.cursor === null ? snapshot.head.cursor : ui.cursor, derived.path.length - 1);
  let row = derived.rounds.findIndex((round) => at <= round.to);
  if (row < 0) row = derived.rounds.length - 1;
  return { at, row: at < 0 ? -1 : row };
}
