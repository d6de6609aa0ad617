// Applies `load.rename` of an experiment to the names of the tensors in a file of weights.

#include "engine/checkpoint/fit.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

using Renames = std::vector<experiment::Rename>;

// Renames names one by one and records the results.
class Renamer {
public:
    explicit Renamer(const Renames& renames) : renames_(renames), is_used_(renames.size(), false) {}

    std::string operator()(const std::string& name) {
        std::optional<std::size_t> longest;
        for (std::size_t i = 0; i < renames_.size(); ++i) {
            if (name.starts_with(renames_[i].from) &&
                (!longest || renames_[*longest].from.size() < renames_[i].from.size())) {
                longest = i;
            }
        }
        std::string renamed = name;
        if (longest) {
            is_used_[*longest] = true;
            renamed = renames_[*longest].to + name.substr(renames_[*longest].from.size());
        }
        for (std::size_t dot = name.find('.'); dot != std::string::npos;
             dot = name.find('.', dot + 1)) {
            known_.insert(name.substr(0, dot + 1));
        }
        known_.insert(name);
        const std::size_t dot = name.find('.');
        beginnings_.insert(dot == std::string::npos ? name : name.substr(0, dot + 1));
        const auto [other, is_new] = origins_.emplace(renamed, name);
        if (!is_new) {
            problems_.push_back(fmt::format("rename: '{}' and '{}' both become '{}'", other->second,
                                            name, renamed));
        }
        return renamed;
    }

    RenameProblems finish() {
        for (std::size_t i = 0; i < renames_.size(); ++i) {
            if (!is_used_[i]) {
                problems_.push_back(fmt::format("rename: no name in the file begins with '{}'{}",
                                                renames_[i].from, hint(renames_[i].from)));
            }
        }
        return std::move(problems_);
    }

private:
    // Another number is another layer and not a typo.
    std::string hint(const std::string& from) const {
        const std::vector<std::string> known(known_.begin(), known_.end());
        const auto near = nearest(from, known);
        if (near && without_digits(*near) != without_digits(from)) {
            return fmt::format("; did you mean '{}'?", *near);
        }
        return beginnings_.empty() ? "" : "; names begin with " + beginnings_text();
    }

    static std::string without_digits(const std::string& text) {
        std::string rest;
        std::ranges::copy_if(text, std::back_inserter(rest), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) == 0;
        });
        return rest;
    }

    std::string beginnings_text() const {
        constexpr std::size_t kMaxNamed = 8;
        std::vector<std::string> named;
        for (const std::string& beginning : beginnings_) {
            named.push_back(fmt::format("'{}'", beginning));
        }
        if (named.size() <= kMaxNamed) {
            return joined(named, "or");
        }
        named.resize(kMaxNamed);
        return fmt::format("{} and {} others", join(named, ", "), beginnings_.size() - kMaxNamed);
    }

    const Renames& renames_;
    std::vector<bool> is_used_;
    std::set<std::string> known_;
    std::set<std::string> beginnings_;
    std::map<std::string, std::string> origins_;
    RenameProblems problems_;
};

}  // namespace

RenameProblems rename(SavedWeights& saved, const Renames& renames) {
    if (renames.empty()) {
        return {};
    }
    Renamer renamer(renames);
    for (auto& [name, tensor] : saved.tensors) {
        name = renamer(name);
    }
    for (std::string& name : saved.others) {
        name = renamer(name);
    }
    return renamer.finish();
}

}  // namespace ptp::engine
