#!/bin/bash
# One model on four processes of two nodes: sbatch examples/slurm/ranks.sh --train pairs.tsv --out out/pairs
# Run again, the same command resumes, also with other numbers here that shards can be divided by.
#SBATCH --job-name=lookback
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@60
# A minute before the time is up, Slurm sends SIGTERM, and the training saves. --mpi is what `srun --mpi=list` shows.
exec srun --mpi="${LOOKBACK_SRUN_MPI:-pmix}" lookback train --set shards=8 "$@"
