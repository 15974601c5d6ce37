/* A process that has trained with several threads forks: its child trains what the parent would, bit for bit, and so
 * does the child of that child. */
#include "proof/campaign.h"
#include "proof/sorting_job.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process of a trial does in turn: it has trained `before` when it forks. */
typedef struct trial {
    const proof *p;
    proof_count *count;
    uint64_t seed;
    proof_sorting_job before, after;
    int generations; /* of children below */
} trial;

static void compare(const trial *t, proof_sorting_job child)
{
    t->count->trials++;
    if (child.status || t->after.status)
        proof_fail(t->p, t->count, t->seed, "the parent ends with status %d, its child with %d",
                   t->after.status, child.status);
    else if (child.hash != t->after.hash)
        proof_fail(t->p, t->count, t->seed, "hash %016llx in the parent, %016llx in its child",
                   (unsigned long long)t->after.hash, (unsigned long long)child.hash);
}

static proof_sorting_job train(trial *t);

/* Forks, and returns what the child has trained. */
static proof_sorting_job train_in_child(trial *t)
{
    proof_sorting_job found = {.status = LB_ERROR_BUSY};
    int ends[2], status;
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        t->generations--;
        found = train(t);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &found, sizeof found) != sizeof found) found.status = LB_ERROR_OPEN;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0) found.status = LB_ERROR_BUSY;
    return found;
}

static proof_sorting_job train(trial *t)
{
    if (t->generations > 0) {
        proof_sorting_work(&t->before);
        proof_sorting_job child = train_in_child(t);
        proof_sorting_work(&t->after);
        compare(t, child);
    } else {
        proof_sorting_work(&t->after);
    }
    return t->after;
}

static void work(void *context)
{
    train(context);
}

int main(int argc, char **argv)
{
    proof p = proof_begin("proof_forks", argc, argv);
    trial t = {.p = &p, .count = proof_kind(&p, "trainings"), .seed = p.seed};
    do {
        proof_dice dice = proof_dice_new(t.seed, "forks");
        t.before = proof_sorting_draw(&dice);
        t.after = proof_sorting_draw(&dice);
        t.generations = 1 + (int)proof_below(&dice, 2);
        int signal = proof_in_child(work, &t);
        if (signal) proof_fail(&p, t.count, t.seed, "ended by signal %d", signal);
        t.seed++;
    } while (proof_has_time(&p));
    return proof_end(&p);
}
