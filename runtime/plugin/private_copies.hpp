// Copies of plugins' files in a private folder, each under a name that is used once.
//
// Only copies are ever loaded: the system's loader takes a known name for the known image, and a
// loaded file that is written to changes running code.
#pragma once

#include "plugin/companions.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// One thread at a time for each object; several objects and processes may share a folder.
class PrivateCopies {
public:
    // The folder is made with the first copy.
    explicit PrivateCopies(const std::filesystem::path& folder);

    // Returns whether a file lies in the folder, so that it is a copy already.
    [[nodiscard]] bool holds(const std::filesystem::path& path) const;

    // Writes a new file "<name>.<number>.<digits of the hash>.so" (Windows: ".dll") and returns its
    // absolute path. Copies the companions beside it. A kill leaves the whole file, or a temporary
    // file that no search for plugins finds.
    // Throws ResourceError (base/file_error.hpp), which states what can be done.
    std::filesystem::path add(std::string_view name, std::string_view content,
                              std::string_view hash, const std::vector<Companion>& companions = {});

private:
    std::filesystem::path folder_;
    std::uint64_t next_number_ = 1;
};

}  // namespace ptp::plugin
