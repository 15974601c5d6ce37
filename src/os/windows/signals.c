/* The console of a program, and Ctrl-C and the like, which ask it to stop. */
#include "os/program.h"
#include "os/windows/system.h"

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- The console. ---- */

static HANDLE handle_of(FILE *stream)
{
    return (HANDLE)_get_osfhandle(_fileno(stream));
}

bool lb_os_is_terminal(FILE *stream)
{
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode);
}

int lb_os_columns(FILE *stream)
{
    enum { USUAL = 80 };
    CONSOLE_SCREEN_BUFFER_INFO found;
    if (!GetConsoleScreenBufferInfo(handle_of(stream), &found)) return USUAL;
    return found.srWindow.Right - found.srWindow.Left + 1;
}

/* A write to a closed pipe is no signal here. */
void lb_os_survive_failed_writes(void)
{
}

static UINT page_before;

static void leave_console(void)
{
    SetConsoleOutputCP(page_before);
}

/* Lines end with LF alone, also in a file that a shell redirects to, and are UTF-8. What moves the cursor does so. */
__attribute__((constructor)) static void settle_streams(void)
{
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        DWORD mode;
        HANDLE console = (HANDLE)_get_osfhandle(stream);
        _setmode(stream, _O_BINARY);
        if (GetConsoleMode(console, &mode))
            SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
    page_before = GetConsoleOutputCP();
    if (page_before && page_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) atexit(leave_console);
}

/* ---- Requests to stop, which come in a thread of their own. ---- */

enum { SAME_REQUEST_MS = 200 };

static volatile LONG signal_number;
static volatile LONG64 first_ms;
static const char *said;
static bool catches;

static int64_t now_ms(void)
{
    return lb_os_clock() / 1000000;
}

void lb_os_record(int number)
{
    if (InterlockedCompareExchange(&signal_number, number, 0) == 0)
        InterlockedExchange64(&first_ms, now_ms());
}

/* A console that closes, or a session, ends the program when this returns, or after seconds: it has them to save. */
static BOOL WINAPI handle(DWORD event)
{
    const bool again = lb_os_interrupted() && now_ms() - first_ms > SAME_REQUEST_MS;
    const char *const text = said;
    if (!catches || again) {
        if (text) _write(STDERR_FILENO, text, (unsigned)strlen(text));
        return FALSE;
    }
    lb_os_record(event == CTRL_C_EVENT ? LB_OS_CTRL_C : SIGTERM);
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
    return TRUE;
}

static void begin_to_listen(void)
{
    static bool listens;
    if (!listens) listens = SetConsoleCtrlHandler(handle, TRUE);
}

void lb_os_catch_interrupts(void)
{
    catches = true;
    begin_to_listen();
}

void lb_os_release_interrupts(void)
{
    catches = false;
}

void lb_os_say_on_interrupt(const char *text)
{
    said = text;
    if (text) begin_to_listen();
}

int lb_os_interrupted(void)
{
    return signal_number;
}
