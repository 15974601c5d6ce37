#include "support/talk.h"

#include "support/wait.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool support_talk_begin(const char *const argv[], support_talk *talk)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) return false;
    fflush(NULL);
    *talk = (support_talk){.child = fork(), .input = in[1], .output = out[0]};
    if (talk->child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    return talk->child > 0;
}

static void hang_up(support_talk *talk)
{
    if (talk->input >= 0) close(talk->input);
    talk->input = -1;
}

const char *support_say(support_talk *talk, const char *text, size_t length)
{
    size_t heard = 0, said = text ? strlen(text) : 0;
    talk->answer[0] = '\0';
    if (!text) hang_up(talk);
    if (text && write(talk->input, text, said) != (ssize_t)said) return talk->answer;
    while (heard < length) {
        struct pollfd output = {.fd = talk->output, .events = POLLIN};
        if (poll(&output, 1, support_hang_seconds * 1000) != 1) break;
        ssize_t count = read(talk->output, talk->answer + heard, sizeof talk->answer - 1 - heard);
        if (count <= 0) break;
        heard += (size_t)count;
        talk->answer[heard] = '\0';
    }
    return talk->answer;
}

int support_talk_end(support_talk *talk)
{
    int status;
    hang_up(talk);
    bool ended = waitpid(talk->child, &status, 0) == talk->child;
    close(talk->output);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
