// A file that is written beside the one whose place it takes when it is whole.
#pragma once

#include "base/descriptor.hpp"
#include "base/output_file.hpp"

#include <filesystem>

namespace ptp {

// Makes the part and locks it, so that also programs that do not see this process leave it alone.
// Removes it at the end of the scope, unless it is finished; a signal that ends the program removes
// it, too (remove_temporary_folders_on_signals()).
class PartialFile {
public:
    // Removes the parts that killed programs of this machine have left beside the file. Throws
    // RunError if no part can be made there.
    explicit PartialFile(const std::filesystem::path& file);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    // Returns the path of the part, which exists: it is opened to write, not made again.
    [[nodiscard]] const std::filesystem::path& path() const { return part_; }

    // Empties the part and opens it. Throws RunError.
    [[nodiscard]] OutputFile open_to_write() const;

    // Puts the part in place of the file. Throws RunError, also if the part was removed or replaced
    // meanwhile.
    void finish();

private:
    std::filesystem::path typed_;  // for messages
    std::filesystem::path file_;
    std::filesystem::path part_;
    Descriptor held_;
};

}  // namespace ptp
