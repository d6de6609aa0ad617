# Two listings of layout.sh, the older one first, then one of the newer drafts, which may have what an
# older abi.h had itself: prints what an older plugin would misread.

function complain(text) {
    print text
    failed = 1
}

function struct_of(member) {
    sub(/\..*$/, "", member)
    return member
}

# Members are compared as they are written, with their types: the fields from the fifth on.
function type_in_line(   type, i) {
    type = ""
    for (i = 5; i <= NF; ++i) {
        type = type (i > 5 ? " " : "") $i
    }
    return type
}

{ key = $1 " " $2 }

FNR == NR {
    was[key] = $3
    if ($1 == "member") {
        size_was[$2] = $4
        type_was[$2] = type_in_line()
    }
    if ($1 == "member" && $2 ~ /\.struct_size$/) {
        grows[struct_of($2)] = 1
    }
    next
}

{
    is[key] = $3
    if (!(key in was)) {
        if (FILENAME == ARGV[2]) {
            added[key] = $3
        }
        next
    }
    if ($1 == "struct") {
        if ($3 + 0 < was[key] + 0) {
            complain($2 ": has " $3 " bytes, had " was[key])
        } else if ($3 != was[key] && !($2 in grows)) {
            complain($2 ": is frozen, has " $3 " bytes, had " was[key])
        }
    } else if ($3 != was[key]) {
        complain($2 ": is " ($1 == "member" ? "at byte " : "") $3 ", was " was[key])
    } else if ($1 == "member" && $4 != size_was[$2]) {
        complain($2 ": has " $4 " bytes, had " size_was[$2])
    } else if ($1 == "member" && type_in_line() != type_was[$2]) {
        complain($2 ": is '" type_in_line() "', was '" type_was[$2] "'")
    }
}

END {
    for (key in was) {
        if (!(key in is)) {
            complain(substr(key, index(key, " ") + 1) ": is gone")
        }
    }
    for (key in added) {
        name = substr(key, index(key, " ") + 1)
        struct = struct_of(name)
        if (key ~ /^member/ && ("struct " struct) in was) {
            if (!(struct in grows)) {
                complain(name ": is new in a struct that is frozen")
            } else if (added[key] + 0 < was["struct " struct] + 0) {
                complain(name ": is new within the " was["struct " struct] " bytes of an older " struct)
            }
        }
        if (!is_newer) {
            complain(name ": is new, and PTP_ABI_MINOR is the same")
        }
    }
    exit failed
}
