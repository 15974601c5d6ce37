/* ---- The search for an output. ---- */

/* The most symbols of an output for a text of this length. */
static int limit_of(int length)
{
    int most = 128, longest = TRAINED;
    while (most < 8 * length) most *= 2;
    longest = longest < most ? longest : most;
    int limit = 2 * (longest > length ? longest : length) + 8;
    return limit < LIMIT ? limit : LIMIT;
}

#if BEAM_SEARCH
/* Keeps the candidates with the highest log-probabilities, in order; of equal ones the first. */
static int offer(memory *m, int count, candidate c)
{
    if (count == CANDIDATES && c.log_probability <= m->candidates[count - 1].log_probability) return count;
    int at = count < CANDIDATES ? count : CANDIDATES - 1;
    for (; at > 0 && c.log_probability > m->candidates[at - 1].log_probability; at--)
        m->candidates[at] = m->candidates[at - 1];
    m->candidates[at] = c;
    return count < CANDIDATES ? count + 1 : CANDIDATES;
}

/* Offers the symbols that may follow a hypothesis. Their log-probabilities are log softmax of the logits. Returns how
 * many candidates there are now. */
static int extend(memory *m, int from, int count, candidate *greedy)
{
    hypothesis *h = &m->live[from];
    decode_step(m, &h->state, h->length > 0 ? h->written[h->length - 1] : BOS);
    int likeliest = EOS;
    float total = 0;
    for (int id = EOS + 1; id < TARGETS; id++)
        if (m->logit[id] > m->logit[likeliest]) likeliest = id;
    for (int id = EOS; id < TARGETS; id++) total += expf(m->logit[id] - m->logit[likeliest]);
    total = m->logit[likeliest] + logf(total);
    for (int id = EOS; id < TARGETS; id++) {
        candidate c = {from, id, h->greedy && id == likeliest, h->log_probability + (m->logit[id] - total)};
        count = offer(m, count, c);
        if (c.greedy) *greedy = c;
    }
    return count;
}

/* Finds the likeliest symbols that follow the live hypotheses: twice as many as go on, since half of them may be ends.
 * The greedy one is always among the first, so that no search is worse than a greedy one. */
static int find_candidates(memory *m, int live)
{
    candidate greedy = {0, EOS, 0, 0};
    int count = 0, at = 0;
    for (int from = 0; from < live; from++) count = extend(m, from, count, &greedy);
    while (at < count && !m->candidates[at].greedy) at++;
    if (!greedy.greedy || (at < BEAM && at < count)) return count;
    if (at == count) at = count < CANDIDATES ? count++ : count - 1;
    for (; at > BEAM - 1; at--) m->candidates[at] = m->candidates[at - 1];
    m->candidates[at] = greedy;
    return count;
}

/* The best output so far, which is m->written; `steps` counts its end. */
typedef struct best {
    int length, steps, finished;
    float score; /* the mean log-probability of a step */
} best;

static void keep(memory *m, best *b, const hypothesis *h, float log_probability, int finished)
{
    best found = {h->length, h->length + finished, finished, log_probability / (float)(h->length + finished)};
    if (b->steps > 0 && (b->finished != finished ? b->finished : b->score >= found.score)) return;
    *b = found;
    memcpy(m->written, h->written, sizeof m->written);
}

/* Follows BEAM hypotheses side by side, until no live one can still score better than one that has ended. Returns how
 * many symbols are written. */
static int decode(memory *m)
{
    int limit = limit_of(m->length), live = 1, horizon = limit;
#    if SUBWORDS
    /* An output waits for better ones of this length, see lb_beam_config.near_horizon. */
    if (2 * m->length + 8 < horizon) horizon = 2 * m->length + 8;
#    endif
    best b = {0, 0, 0, 0};
    m->live[0].log_probability = 0;
    m->live[0].greedy = 1;
    m->live[0].length = 0;
    m->live[0].state = m->state;
    for (int step = 1; step <= limit && live > 0; step++) {
        int count = find_candidates(m, live), going = 0;
        for (int i = 0; i < count; i++) {
            candidate c = m->candidates[i];
            int hopeless = b.finished && (step >= horizon || c.log_probability / (float)horizon <= b.score);
            if (c.symbol == EOS && (i < BEAM || step == limit)) {
                keep(m, &b, &m->live[c.from], c.log_probability, 1);
            } else if (c.symbol != EOS && going < BEAM && !hopeless) {
                hypothesis *h = &m->going[going++];
                *h = m->live[c.from];
                h->written[h->length++] = c.symbol;
                h->log_probability = c.log_probability;
                h->greedy = c.greedy;
            }
            if (going == BEAM && step < limit) break;
        }
        live = going;
        memcpy(m->live, m->going, (size_t)live * sizeof *m->live);
    }
    for (int i = 0; i < live; i++) keep(m, &b, &m->live[i], m->live[i].log_probability, 0);
    return b.length;
}
#else
/* Takes the likeliest symbol at each step. Returns how many are written. */
static int decode(memory *m)
{
    int before = BOS, limit = limit_of(m->length);
    for (int step = 0; step < limit; step++) {
        decode_step(m, &m->state, before);
        before = EOS;
        for (int id = EOS + 1; id < TARGETS; id++)
            if (m->logit[id] > m->logit[before]) before = id;
        if (before == EOS) return step;
        m->written[step] = before;
    }
    return limit;
}

#endif
