# Puts what a service tells the monitor's agent of itself, if it does, where jvm.sh looks for it: agent-settings.sh SERVICE SCRATCH.
set -eu
if [ -f "$1/agent.properties" ]; then cp "$1/agent.properties" "$2/agent.properties"; else : >"$2/agent.properties"; fi
