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
    static constexpr const char* Help = "the phase that arrived last enters first";

    bool Precedes(const WaitingPhase& a, const WaitingPhase& b) const override
    {
        return a.arrival > b.arrival;
    }
};

NADI_REGISTER(IntraDimensionPolicy, Lifo, "lifo");

} // namespace

} // namespace nadi
