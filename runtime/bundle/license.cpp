// Reads license expressions by the grammar of SPDX 2.3, annex D. Letters of either case are equal
// in identifiers, as there.

#include "bundle/license.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "bundle/license_ids.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::bundle {

namespace {

using Words = std::vector<std::string>;

// Other names of a license.
struct Familiar {
    std::string_view names;
    std::string_view id;
};

constexpr std::array kFamiliar = {
    Familiar{"agpl agpl3 agpl-3 agplv3", "AGPL-3.0-or-later"},
    Familiar{"apache apache2 apache-2 apachev2 asl2 apl2", "Apache-2.0"},
    Familiar{"artistic", "Artistic-2.0"},
    Familiar{"boost", "BSL-1.0"},
    Familiar{"bsd bsd3 bsd-3 new-bsd", "BSD-3-Clause"},
    Familiar{"bsd2 bsd-2 simplified-bsd", "BSD-2-Clause"},
    Familiar{"cc0 pd public-domain publicdomain", "CC0-1.0"},
    Familiar{"cc-by ccby creative-commons", "CC-BY-4.0"},
    Familiar{"cc-by-nc", "CC-BY-NC-4.0"},
    Familiar{"cc-by-sa", "CC-BY-SA-4.0"},
    Familiar{"expat", "MIT"},
    Familiar{"gfdl", "GFDL-1.3-or-later"},
    Familiar{"gpl gpl3 gpl-3 gplv3", "GPL-3.0-or-later"},
    Familiar{"gpl2 gpl-2 gplv2", "GPL-2.0-or-later"},
    Familiar{"lgpl lgpl3 lgpl-3 lgplv3", "LGPL-3.0-or-later"},
    Familiar{"lgpl2 lgpl-2 lgplv2", "LGPL-2.1-or-later"},
    Familiar{"mpl mpl2 mpl-2", "MPL-2.0"},
    Familiar{"all-rights-reserved closed commercial none own private proprietary unlicensed",
             "LicenseRef-Proprietary"},
};

Words words_of(std::string_view list) {
    Words words;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(' ', begin), list.size());
        if (end > begin) {
            words.emplace_back(list.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return words;
}

// Returns the identifier of a list as the list has it; "" if it is not there.
std::string listed(std::string_view list, std::string_view id) {
    for (const std::string& one : words_of(list)) {
        if (in_lower_case(one) == in_lower_case(id)) {
            return one;
        }
    }
    return "";
}

// "LicenseRef-mine" is not listed; a reference to another document may stand before it.
bool is_reference(std::string_view id) {
    constexpr std::string_view kReference = "LicenseRef-";
    if (id.starts_with("DocumentRef-")) {
        id.remove_prefix(std::min(id.find(':') + 1, id.size()));
    }
    return id.starts_with(kReference) && id.size() > kReference.size() &&
           std::ranges::all_of(id, [](unsigned char letter) {
               return std::isalnum(letter) != 0 || letter == '-' || letter == '.';
           });
}

bool is_license(std::string_view id) {
    const std::string_view plain = id.ends_with('+') ? id.substr(0, id.size() - 1) : id;
    return is_reference(id) || !listed(kLicenses, plain).empty();
}

bool is_operator(const std::string& word) {
    return word == "AND" || word == "OR" || word == "WITH";
}

// Divides an expression into identifiers, operators and parentheses.
Words tokens_of(std::string_view text) {
    std::string spaced;
    for (const char c : text) {
        spaced += c == '(' || c == ')' ? std::string{' ', c, ' '} : std::string(1, c);
    }
    return words_of(spaced);
}

// Reads the tokens of an expression.
class Reader {
public:
    explicit Reader(Words tokens) : tokens_(std::move(tokens)) {}

    // Returns whether they are one expression.
    bool read() { return read_expression() && at_ == tokens_.size(); }

private:
    bool take(const char* token) {
        const bool is_next = at_ < tokens_.size() && tokens_[at_] == token;
        at_ += is_next ? 1 : 0;
        return is_next;
    }

    bool read_expression() {
        bool is_read = read_term();
        while (is_read && (take("AND") || take("OR"))) {
            is_read = read_term();
        }
        return is_read;
    }

    bool read_term() {
        if (take("(")) {
            return read_expression() && take(")");
        }
        if (at_ == tokens_.size() || !is_license(tokens_[at_++])) {
            return false;
        }
        return !take("WITH") ||
               (at_ < tokens_.size() && !listed(kLicenseExceptions, tokens_[at_++]).empty());
    }

    Words tokens_;
    std::size_t at_ = 0;
};

bool is_expression(const std::string& text) {
    return Reader(tokens_of(text)).read();
}

// Returns the identifier that a name means: "Apache-2.0" for "Apache License, Version 2.0" and for
// "apache2"; "" if none is near.
std::string id_meant(const std::string& name) {
    std::string joint;
    for (std::string word : words_of(in_lower_case(name))) {
        std::erase_if(word, [](char c) { return c == ',' || c == '"'; });
        const bool is_version =
            word.size() > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9';
        word.erase(0, is_version ? 1 : 0);
        if (!has_word("the gnu license licence version v", word) && !word.empty()) {
            joint += (joint.empty() ? "" : "-") + word;
        }
    }
    for (const char* end : {"-license", "-licence"}) {
        joint.resize(joint.size() - (joint.ends_with(end) ? std::string_view(end).size() : 0));
    }
    if (const std::string id = listed(kLicenses, joint); !id.empty()) {
        return id;
    }
    const auto familiar = std::ranges::find_if(
        kFamiliar, [&](const Familiar& one) { return has_word(one.names, joint); });
    if (familiar != kFamiliar.end()) {
        return std::string(familiar->id);
    }
    // A long name is near to another one by chance.
    return joint.find('-') == std::string::npos || joint.size() < 20
               ? nearest(joint, words_of(kLicenses)).value_or("")
               : "";
}

// Returns the expression that is meant by other signs and letters, or by other names in it.
std::string meant_by(const std::string& text) {
    std::string joined;
    for (const std::string& token : tokens_of(text)) {
        std::string word = token;
        for (std::size_t at = 0; (at = word.find_first_of("/|", at)) != std::string::npos;
             at += 4) {
            word.replace(at, 1, " OR ");
        }
        const std::string small = in_lower_case(word);
        joined += (joined.empty() ? "" : " ") + (small == "and"    ? "AND"
                                                 : small == "or"   ? "OR"
                                                 : small == "with" ? "WITH"
                                                                   : word);
    }
    if (is_expression(joined)) {
        return joined;
    }
    std::string meant;
    std::string name;
    bool is_known = true;
    const auto end_name = [&] {
        if (!name.empty()) {
            const std::string id = is_license(name) ? name : id_meant(name);
            is_known = is_known && !id.empty();
            meant += (meant.empty() ? "" : " ") + id;
            name.clear();
        }
    };
    for (const std::string& token : tokens_of(joined)) {
        if (is_operator(token) || token == "(" || token == ")") {
            end_name();
            meant += (meant.empty() ? "" : " ") + token;
        } else {
            name += (name.empty() ? "" : " ") + token;
        }
    }
    end_name();
    return is_known && is_expression(meant) ? meant : "";
}

}  // namespace

std::optional<WrongLicense> wrong_license(const std::string& text) {
    if (is_expression(text)) {
        return std::nullopt;
    }
    WrongLicense wrong{
        "must be an identifier of the SPDX license list, such as MIT, or several, such "
        "as Apache-2.0 OR MIT",
        meant_by(text)};
    wrong.reason += wrong.meant.empty() ? "; a license of your own is LicenseRef-NAME" : "";
    return wrong;
}

}  // namespace ptp::bundle
