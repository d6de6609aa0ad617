// A file that is written beside the one whose place it takes when it is whole.
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>

namespace ptp {

// Removes the part at the end of the scope, unless it is finished; a signal that ends the program
// removes it, too (remove_temporary_folders_on_signals()).
class PartialFile {
public:
    // Chooses the name of the part. Removes those that killed programs of this machine have left
    // beside the file.
    explicit PartialFile(std::filesystem::path file);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return part_; }

    // Locks the part, which exists now: programs that do not see this process leave it alone.
    void hold();

    // Puts the part in place of the file. Throws RunError.
    void finish();

private:
    std::filesystem::path file_;
    std::filesystem::path part_;
    Descriptor holding_;
};

}  // namespace ptp
