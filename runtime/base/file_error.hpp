// The reasons why a file that a program was given cannot be used.
#pragma once

#include <stdexcept>

namespace ptp {

// Thrown for a file that is not as required. what() is a sentence without the path: "is not an ELF
// file".
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Thrown for a file that does not exist, may not be read, or is a folder, a pipe or a device.
class UnreadableFile : public FileError {
    using FileError::FileError;
};

// Thrown for a file that ends too early or is empty: perhaps it is still being written.
class UnfinishedFile : public FileError {
    using FileError::FileError;
};

// Thrown if the system lacks resources at the moment: descriptors, memory, or space for a copy. It
// has nothing to do with the file.
class ResourceError : public FileError {
    using FileError::FileError;
};

}  // namespace ptp
