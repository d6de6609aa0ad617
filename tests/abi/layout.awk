# From preprocessed C headers to a C program that prints what they lay out: a line for each struct,
# each of its members and each enumerator. Strings that are macros are added by layout.sh.

{ text = text " " $0 }

function trimmed(s) {
    gsub(/[ \t\n]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}

# The name of a member, as it is declared: after its type, or within the parentheses of a function.
function name_of(member,   name) {
    if (match(member, /\(\*[a-z_0-9]+\)/)) {
        return substr(member, RSTART + 2, RLENGTH - 3)
    }
    sub(/\[.*$/, "", member)
    match(member, /[A-Za-z_0-9]+$/)
    return substr(member, RSTART, RLENGTH)
}

function print_struct(name, body,   members, count, i, member, field) {
    printf "    printf(\"struct %s %%zu\\n\", sizeof(%s));\n", name, name
    count = split(body, members, ";")
    for (i = 1; i <= count; ++i) {
        member = trimmed(members[i])
        if (member == "") {
            continue
        }
        field = name_of(member)
        printf "    printf(\"member %s.%s %%zu %%zu %s\\n\", offsetof(%s, %s), sizeof(((%s*)0)->%s));\n", \
            name, field, member, name, field, name, field
    }
}

function print_enumerators(body,   items, count, i, item) {
    count = split(body, items, ",")
    for (i = 1; i <= count; ++i) {
        item = trimmed(items[i])
        sub(/ *=.*$/, "", item)
        if (item != "") {
            printf "    printf(\"enumerator %s %%lld\\n\", (long long)%s);\n", item, item
        }
    }
}

END {
    while (match(text, /(typedef struct [a-z_0-9]+ *\{[^{}]*\} *[a-z_0-9]+ *;)|(enum *\{[^{}]*\} *;)/)) {
        found = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        body = found
        sub(/^[^{]*\{/, "", body)
        sub(/\}[^}]*$/, "", body)
        if (found ~ /^enum/) {
            print_enumerators(body)
            continue
        }
        name = found
        sub(/^.*\} */, "", name)
        sub(/ *;$/, "", name)
        print_struct(name, body)
    }
}
