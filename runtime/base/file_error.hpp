// Why a file that a program was given cannot be used.
#pragma once

#include <stdexcept>

namespace ptp {

// The file is not what it has to be. what() is a sentence without the path: "is not an ELF file".
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// There is no such file, it may not be read, or it is a folder, a pipe or a device.
class UnreadableFile : public FileError {
    using FileError::FileError;
};

// The file ends too early, or has not begun: perhaps it is being written just now.
class UnfinishedFile : public FileError {
    using FileError::FileError;
};

// The system lacks what it takes just now: descriptors, memory, or room for a copy. It is no
// evidence about this file.
class ResourceError : public FileError {
    using FileError::FileError;
};

}  // namespace ptp
