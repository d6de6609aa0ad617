// Finds the copies of an image in the folders of several classes.

#include "class_sets.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace {

namespace fs = std::filesystem;

// Returns "a/x.png" of "cat/a/x.png".
std::string_view name_in_class(const std::string& name) {
    return std::string_view(name).substr(name.find('/') + 1);
}

// A file that cannot be read is like no other; reading the images reports it.
bool are_equal(const fs::path& left, const fs::path& right) {
    std::error_code error;
    if (fs::equivalent(left, right, error) && !error) {
        return true;  // links
    }
    const auto left_size = fs::file_size(left, error);
    if (error || left_size != fs::file_size(right, error) || error) {
        return false;
    }
    std::ifstream first(left, std::ios::binary);
    std::ifstream second(right, std::ios::binary);
    using Bytes = std::istreambuf_iterator<char>;
    return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

}  // namespace

std::vector<std::vector<int64_t>> join_copies(ptp::support::ClassFiles& files) {
    ptp::support::ClassFiles joined;
    joined.left_out = std::move(files.left_out);
    std::vector<std::vector<int64_t>> classes;
    std::unordered_map<std::string, std::vector<std::size_t>> with_name;  // in `joined`
    for (std::size_t i = 0; i < files.paths.size(); ++i) {
        std::vector<std::size_t>& others = with_name[std::string(name_in_class(files.names[i]))];
        const auto copy = std::ranges::find_if(others, [&](std::size_t other) {
            return are_equal(joined.paths[other], files.paths[i]);
        });
        if (copy != others.end()) {
            std::vector<int64_t>& set = classes[*copy];
            set.insert(std::ranges::upper_bound(set, files.targets[i]), files.targets[i]);
            continue;
        }
        others.push_back(joined.paths.size());
        joined.paths.push_back(std::move(files.paths[i]));
        joined.names.push_back(std::move(files.names[i]));
        joined.targets.push_back(files.targets[i]);
        classes.push_back({files.targets[i]});
    }
    files = std::move(joined);
    return classes;
}
