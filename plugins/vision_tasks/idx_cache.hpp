// The idx files in memory: the sections of an experiment often use parts of the same file, which is
// read, and kept, once for all of them.
#pragma once

#include "idx_file.hpp"

#include <memory>

// Returns the result of read_idx_file(), or that of an earlier call for the same file, if a task
// still keeps it and the file has not changed. [any]
std::shared_ptr<const IdxFile> shared_idx_file(const IdxRequest& request);
