// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/intra-dimension-policy.h"

namespace nadi
{

namespace
{

/// The latest arrival enters first.
class Lifo : public IntraDimensionPolicy
{
  public:
    static constexpr const char* Help =
        "Of the phases that wait for a dimension, the one that arrived last enters it first.";

    bool Precedes(const WaitingPhase& a, const WaitingPhase& b) const override
    {
        return a.arrival > b.arrival;
    }
};

NADI_REGISTER(IntraDimensionPolicy, Lifo, "lifo");

} // namespace

} // namespace nadi
