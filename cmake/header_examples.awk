# Makes a program of the examples in the comment at the head of lookback.h: what is indented behind "To ...:".
BEGIN { print "#include <lookback/lookback.h>\n#include <stdio.h>\n\nint main(void)\n{" }
/^ \* [^ ]/ { inside = /^ \* To .*:$/ }
inside && /^ \*     / { sub(/^ \*     /, "    "); sub(/ \*\/$/, ""); print }
END { print "    return lb_status_exit(error.status);\n}" }
