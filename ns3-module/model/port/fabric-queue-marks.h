// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_QUEUE_MARKS_H
#define FABRIC_QUEUE_MARKS_H

#include "fabric-start-action.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/// \ingroup fabric
/// Marks data frames in transit (ECN, RED-style), by the bytes of their priority that they leave
/// behind in the queue. No sender marks its own frames.
class FabricQueueMarks : public FabricStartAction
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    void OnStart(FabricFrame& frame, const Start& start) override;
    std::optional<uint64_t> GetIdleQueue() const override;

    /// With which a frame is marked that leaves `queue` bytes behind.
    double ComputeProbability(uint64_t queue) const;

  private:
    uint64_t m_min = 0;
    uint64_t m_max = 0;
    double m_probability = 0;
};

} // namespace ns3

#endif /* FABRIC_QUEUE_MARKS_H */
