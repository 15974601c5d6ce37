# Prints the blocks of C in a Markdown page, one after the other, without the indentation of their fence.
#   -v section="The whole program"   only those under this heading
!inside && /^#/ { active = section == "" || index($0, section) > 0 }
active && /^ *```c$/ { inside = 1; indent = index($0, "`") - 1; next }
inside && /^ *```$/ { inside = 0; print ""; next }
inside { print substr($0, indent + 1) }
