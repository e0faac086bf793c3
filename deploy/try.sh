#!/bin/sh
# Does without containers what they do: a Redis, gunicorn with two workers, a question with the token. Needs redis-server
# (or REDIS_SERVER), curl, and an environment with the package, gunicorn and uvicorn-worker on the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
redis_port=${REDIS_PORT:-16379}
port=${PORT:-18000}
"${REDIS_SERVER:-redis-server}" --port "$redis_port" --bind 127.0.0.1 --save "" --dir "$work" >"$work/redis.log" 2>&1 &
redis=$!
printf 'a-token-for-this-try' >"$work/token"
export LLM_MODEL_ID="${LLM_MODEL_ID:-offline}"
cd "$here"
PROMETHEUS_MULTIPROC_DIR="$work/metrics" HELLO_AGENTS_AGENT=agent:make HELLO_AGENTS_STORE="redis://127.0.0.1:$redis_port/0" HELLO_AGENTS_TOKEN_FILE="$work/token" \
    BIND="127.0.0.1:$port" WORKERS=2 gunicorn --config gunicorn.conf.py 'hello_agents.serve.asgi:create()' \
    >"$work/service.log" 2>&1 &
service=$!
trap 'kill $service $redis 2>/dev/null; wait; rm -rf "$work"' EXIT
tries=0
until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/ready"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
        cat "$work/service.log"
        exit 1
    fi
    sleep 0.2
done
curl --silent --show-error --fail --max-time 60 \
    --header "Authorization: Bearer $(cat "$work/token")" --header 'Content-Type: application/json' \
    --data '{"message": "What is 17 * 23?"}' "http://127.0.0.1:$port/sessions/try/messages" | tee "$work/events" |
    sed -n 's/^event: //p' | sort | uniq -c
grep -q '"result":.*391' "$work/events"
curl --silent --fail --header "Authorization: Bearer $(cat "$work/token")" "http://127.0.0.1:$port/metrics" |
    grep 'hello_agents_runs_total{.*finished.*} 1.0'
kill -TERM $service
wait $service || true
echo "The service answered, and ended when it was told to."
