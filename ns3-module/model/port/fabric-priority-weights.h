// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PRIORITY_WEIGHTS_H
#define FABRIC_PRIORITY_WEIGHTS_H

#include "ns3/attribute-helper.h"
#include "ns3/attribute.h"
#include "ns3/fabric-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>

namespace ns3
{

/// \ingroup fabric
/// How the data priorities of a port share it. A priority of weight 0 is strict: it comes before
/// all that have a weight, and of several the lower number comes first. The others take turns, each
/// with as many frames in a row as its weight says while it has any. As text: seven numbers with
/// blanks between them, each at most MOST, for the priorities 1 to 7 (0 is that of control frames).
class FabricPriorityWeights
{
  public:
    static constexpr int64_t MOST = 1 << 20; ///< frames in a row

    FabricPriorityWeights()
    {
        m_weights.fill(1);
    }

    /// Of the data priority `index` + 1.
    uint32_t operator[](std::size_t index) const
    {
        return m_weights[index];
    }

    friend std::ostream& operator<<(std::ostream& text, const FabricPriorityWeights& weights);
    friend std::istream& operator>>(std::istream& text, FabricPriorityWeights& weights);

  private:
    std::array<uint32_t, FABRIC_PRIORITIES - 1> m_weights;
};

ATTRIBUTE_HELPER_HEADER(FabricPriorityWeights);

} // namespace ns3

#endif /* FABRIC_PRIORITY_WEIGHTS_H */
