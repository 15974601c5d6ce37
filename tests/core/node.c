/* For the program in Node: the poll of Emscripten 3.1.6 fails for the files of the system, which can always be read. */
#include <poll.h>

int poll(struct pollfd *fds, nfds_t nfds, int timeout)
{
    (void)timeout;
    for (nfds_t i = 0; i < nfds; i++) fds[i].revents = fds[i].events;
    return (int)nfds;
}
