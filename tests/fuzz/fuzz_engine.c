/* A file for --engine: the page of a report carries it as it is. */
#include "base/alloc.h"
#include "fuzz.h"
#include "report/data.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char start[] = "<script type=\"text/plain\" id=\"wasm\"";
    lb_error error = {0};
    void *html;
    size_t count;
    lb_status status = app_page_engine_read(fuzz_file(data, size), &html, &count, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require(!status == (html != NULL), "there is an engine exactly if there is no error");
    if (html) {
        fuzz_require(count == size && memcmp(html, data, size) == 0, "the engine is the whole file");
        fuzz_require(memcmp(html, start, sizeof start - 1) == 0, "an engine begins with its script");
    }
    lb_release(html);
    return 0;
}
