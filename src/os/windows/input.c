/* Reads files, pipes, and what is typed. */
#include "os/windows/system.h"

#include <errno.h>

bool lb_os_has_arrived(lb_os_handle handle)
{
    DWORD bytes = 0;
    HANDLE file = lb_os_system(handle);
    switch (GetFileType(file)) {
    case FILE_TYPE_PIPE:
        return !PeekNamedPipe(file, NULL, 0, NULL, &bytes, NULL) || bytes > 0;
    case FILE_TYPE_CHAR:
        return WaitForSingleObject(file, 0) == WAIT_OBJECT_0;
    default:
        return true;
    }
}

/* A console that is asked for bytes loses letters that are not ASCII. Ctrl-Z at the start of a line is the end. */
static int64_t read_console(HANDLE console, char *bytes, size_t room)
{
    enum { LETTERS = 512, BYTES_OF_LETTER = 3, END = 26 };
    static wchar_t text[LETTERS], half; /* of a letter in two parts, of which the second has not come */
    const DWORD first = half ? 1 : 0, most = lb_os_at_once(room / BYTES_OF_LETTER);
    DWORD count = 0;
    text[0] = half;
    errno = EINVAL;
    if (most < 2) return -1;
    if (!lb_os_told(
            ReadConsoleW(console, text + first, (most < LETTERS ? most : LETTERS) - first, &count, NULL)))
        return -1;
    count += first;
    half = count > 0 && IS_HIGH_SURROGATE(text[count - 1]) ? text[--count] : 0;
    if (count == 0 || *text == END) return 0;
    return WideCharToMultiByte(CP_UTF8, 0, text, (int)count, bytes, (int)lb_os_at_once(room), NULL, NULL);
}

int64_t lb_os_read(lb_os_handle handle, void *bytes, size_t room)
{
    DWORD mode, count = 0;
    HANDLE file = lb_os_system(handle);
    if (GetConsoleMode(file, &mode)) return read_console(file, bytes, room);
    if (ReadFile(file, bytes, lb_os_at_once(room), &count, NULL)) return count;
    return GetLastError() == ERROR_BROKEN_PIPE || lb_os_told(false) ? 0 : -1;
}
