// Words that the training's vocabulary lacks in texts that the training meets late.

#pragma once

#include "engine/train/session.hpp"

namespace ptp::engine {

// [main] Reads the texts of all sections but [training] as far as the components that have a
// vocabulary, so that one which refuses a word does so before a training of hours and not in its
// test. Sections whose task writes images are left out: to decode these takes longer than the
// reading. Leaves no trace in the session. Throws RunError, with the section.
void refuse_unknown_words(Session& session);

}  // namespace ptp::engine
