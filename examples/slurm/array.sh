#!/bin/bash
# Eight models with eight seeds, each a job of its own: sbatch examples/slurm/array.sh out/vote --train pairs.tsv
# When all are done, one vote of them: lookback join out/vote/seed-* --dev dev.tsv -o out/vote
#SBATCH --job-name=lookback
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
folder=$1
shift
exec lookback train --seed "$SLURM_ARRAY_TASK_ID" --out "$folder/seed-$SLURM_ARRAY_TASK_ID" "$@"
