#!/bin/bash
# As proof_faults.sh, in the programs that it leaves out.
more=1
# shellcheck source=proof_faults.sh
. "$(dirname -- "$0")/proof_faults.sh"
