#!/bin/bash
# As proof_memory.sh, in the programs that it leaves out.
more=1
# shellcheck source=proof_memory.sh
. "$(dirname -- "$0")/proof_memory.sh"
