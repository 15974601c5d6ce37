/* Processes side by side, this program itself, and its limits. A process that is started is this program again; its
 * standard input is a pipe, on which a byte, or the end of who started it, asks it to end. */
#include "os/program.h"
#include "os/windows/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char COPY[] = "LOOKBACK_COPY";

static DWORD WINAPI wait_for_request(void *input)
{
    char byte;
    DWORD count;
    (void)!ReadFile(input, &byte, 1, &count, NULL);
    lb_os_record(SIGTERM);
    return 0;
}

int lb_os_copy(void)
{
    static int copy = -1;
    if (copy >= 0) return copy;
    const char *number = getenv(COPY);
    copy = number ? atoi(number) : 0;
    lb_os_set_variable(COPY, NULL);
    HANDLE thread =
        copy > 0 ? CreateThread(NULL, 0, wait_for_request, lb_os_system(lb_os_input()), 0, NULL) : NULL;
    if (thread) CloseHandle(thread);
    return copy;
}

bool lb_os_set_variable(const char *name, const char *value)
{
    return _putenv_s(name, value ? value : "") == 0;
}

/* Starts this program with its arguments and these ends of pipes, which alone it inherits. */
static HANDLE start(int input, int output)
{
    wchar_t path[LB_WIDE_PATH];
    PROCESS_INFORMATION made = {0};
    HANDLE hears = (HANDLE)_get_osfhandle(input), says = (HANDLE)_get_osfhandle(output);
    STARTUPINFOW info = {.cb = sizeof info,
                         .dwFlags = STARTF_USESTDHANDLES,
                         .hStdInput = hears,
                         .hStdOutput = says,
                         .hStdError = says};
    SetHandleInformation(hears, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    SetHandleInformation(says, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    lb_os_told(GetModuleFileNameW(NULL, path, LB_WIDE_PATH) &&
               CreateProcessW(path, GetCommandLineW(), NULL, NULL, TRUE, 0, NULL, NULL, &info, &made));
    if (made.hThread) CloseHandle(made.hThread);
    return made.hProcess;
}

bool lb_os_start(lb_os_child *child, int number, int (*run)(void *context), void *context)
{
    enum { ROOM = 1 << 16, WAY = _O_BINARY | _O_NOINHERIT };
    int said[2], asked[2];
    char digits[16];
    (void)run, (void)context;
    *child = (lb_os_child){0};
    if (_pipe(said, ROOM, WAY) != 0) return false;
    child->said = lb_os_handle_of(said[0]);
    if (_pipe(asked, ROOM, WAY) == 0) {
        child->asked = lb_os_handle_of(asked[1]);
        snprintf(digits, sizeof digits, "%d", number);
        if (lb_os_set_variable(COPY, digits)) child->number = (intptr_t)start(asked[0], said[1]);
        lb_os_set_variable(COPY, NULL);
        _close(asked[0]);
    }
    _close(said[1]);
    if (child->number) return true;
    lb_os_drop(&child->said);
    lb_os_drop(&child->asked);
    return false;
}

int64_t lb_os_hear(const lb_os_child *child, void *bytes, size_t room)
{
    return lb_os_has_arrived(child->said) ? lb_os_read(child->said, bytes, room) : -1;
}

bool lb_os_has_ended(const lb_os_child *child, int *status)
{
    enum { MOST = 255 };
    DWORD found = 0;
    HANDLE process = (HANDLE)(intptr_t)child->number;
    if (WaitForSingleObject(process, 0) != WAIT_OBJECT_0) return false;
    GetExitCodeProcess(process, &found);
    *status = found <= MOST ? (int)found : LB_OS_ENDED_BY + SIGTERM;
    CloseHandle(process);
    (void)lb_os_close(child->asked);
    return true;
}

void lb_os_stop(const lb_os_child *child)
{
    (void)lb_os_write_all(child->asked, "", 1);
}

/* ---- This program. ---- */

/* The new program would have another number, and a shell would not wait for it. */
void lb_os_restart(char **arguments)
{
    (void)arguments;
}

bool lb_os_program_path(char path[LB_OS_PATH])
{
    wchar_t wide[LB_WIDE_PATH];
    DWORD length = GetModuleFileNameW(NULL, wide, LB_WIDE_PATH);
    return length > 0 && length < LB_WIDE_PATH && lb_os_narrow(wide, path);
}

bool lb_os_make_temp_folder(char folder[LB_OS_PATH])
{
    int length = snprintf(folder, LB_OS_PATH, "%s\\lookback-%llx-%llx", lb_os_temp_folder(),
                          (unsigned long long)lb_os_process(), (unsigned long long)lb_os_clock());
    errno = ENAMETOOLONG;
    return length > 0 && length < LB_OS_PATH && lb_os_make_folder(folder);
}

uint64_t lb_os_limit_of(lb_os_limit limit)
{
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    return limit == LB_OS_STACK ? high - low : UINT64_MAX;
}

/* That of MPI alone is loaded, which is not built for Windows. */
const char *lb_os_load(const char *path, const char *const *names, size_t count, void *functions)
{
    (void)path, (void)names, (void)count, (void)functions;
    return "there is none for Windows";
}
