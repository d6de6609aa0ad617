// Finds words missing in the training's vocabulary in texts that the training reads late.

#pragma once

#include "engine/train/training_session.hpp"

namespace ptp::engine {

// [main] Reads the texts of all sections except [training] through the components with a
// vocabulary, so that one that refuses a word does so before hours of training and not in its test.
// Sections whose task writes images are skipped: decoding these takes longer than the reading.
// Leaves no trace in the session. Throws RunError, with the section.
void refuse_unknown_words(TrainingSession& session);

}  // namespace ptp::engine
