#include "base/toml_reader.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toml_long_key_test {

using namespace ptp;

namespace {

// Returns whether a key is refused for the number of its parts, before the library sees it.
bool is_too_long(const std::string& text) {
    Diagnostics problems;
    return !read_toml(text, "", problems) &&
           problems.reported().front().message == "a key of more than 32 parts";
}

std::string key_of(int parts) {
    std::string key = "a";
    for (int i = 1; i < parts; ++i) {
        key += ".a";
    }
    return key;
}

// All texts of at most `size` of these characters.
std::vector<std::string> all_texts(std::string_view characters, std::size_t size) {
    std::vector<std::string> texts{""};
    for (std::size_t begin = 0; texts[begin].size() < size; ++begin) {
        for (const char c : characters) {
            texts.push_back(texts[begin] + c);
        }
    }
    return texts;
}

// As the TOML library sees it: "x" is a list that ends in a table, not in a string or a comment.
enum class Seen { kInvalid, kAsTable, kAsText };

Seen seen_in(const std::string& text) {
    Diagnostics problems;
    const auto root = read_toml(text, "", problems);
    if (!root) {
        return Seen::kInvalid;
    }
    const auto& items = root->find("x")->items();
    return !items.empty() && items.back().is_table() ? Seen::kAsTable : Seen::kAsText;
}

}  // namespace

TEST_CASE("toml keys: it knows as the library does whether a key lies in a string or a comment") {
    int table_count = 0;
    int text_count = 0;
    const auto check = [&](const std::string& before, std::string_view after) {
        const auto with_key = [&](int parts) {
            return before + key_of(parts).append(" = 1}").append(after);
        };
        const std::string text = with_key(33);
        const Seen seen = seen_in(with_key(2));
        if (seen != Seen::kInvalid && is_too_long(text) != (seen == Seen::kAsTable)) {
            FAIL_CHECK(text);
        }
        table_count += seen == Seen::kAsTable ? 1 : 0;
        text_count += seen == Seen::kAsText ? 1 : 0;
    };
    for (const char* quote : {"", "\"", "'", "\"\"\"", "'''"}) {
        for (const std::string& text : all_texts("\"'\\\n#", 5)) {
            const std::string begin = std::string("x = [").append(quote).append(text);
            check(begin + ", {", "]");
            check(begin + "\n, {", "]");
            check(begin + "{", std::string(quote).append("]"));
        }
    }
    CHECK(table_count > 100);
    CHECK(text_count > 100);
}

TEST_CASE("toml keys: strings of every kind end where the library ends them") {
    const std::string key = ", {" + key_of(33) + " = 1}]";
    const char* const strings[] = {
        R"("")",
        R"("\\")",
        R"("\"")",
        R"("a'''b")",
        R"('\')",
        R"('"')",
        R"("""""")",
        R"(""""""")",
        R"("""""""")",
        R"("""a""""")",
        R"("""a\"""")",
        R"("""a\""""")",
        R"("""a""b"c""")",
        "\"\"\"a\\\n  \n  b\"\"\"",
        "\"\"\"a\\\r\n\"\"\"",
        R"('''''')",
        R"('''''''')",
        R"('''\''')",
        R"('''a''b'c''')",
        "'''\r\na\r\n'''",
        R"("\u0022")",
    };
    for (const std::string string : strings) {
        CAPTURE(string);
        Diagnostics problems;
        CHECK(read_toml("x = [" + string + ", {a.a = 1}]", "", problems).has_value());
        CHECK(is_too_long("x = [" + string + key));
    }
}

TEST_CASE("toml: letters that are not ASCII need quotes, also in a value of its own") {
    Diagnostics problems;
    CHECK(read_toml("a = \"\u00e9\" # \u00e9\nb = '\u0416'\nc = '''\u3001'''", "", problems));
    const char* const refused[] = {
        "\u00e9",  "'a'\u0416", "[1, \u3001]", "\"\"\"a\"\"\"\u00e9", "1 # \n\u00e9",
        "\u00a01", "1\u2028",   "tru\u00e9",   "{ b = \u0416 }"};
    for (const std::string text : refused) {
        CAPTURE(text);
        CHECK_FALSE(read_toml_value(text));
        Diagnostics why;
        CHECK_FALSE(read_toml("a = " + text, "x.toml", why));
        CHECK(why.text().ends_with("' outside of quotes: a key or a text with it needs them"));
    }
}

}  // namespace toml_long_key_test
