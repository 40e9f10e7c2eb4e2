// SPDX-License-Identifier: GPL-2.0-only
#include "network/shapes/switch-shape.h"

namespace nadi
{

void
SwitchShape::AddLine(const ShapeLine& line, Topology& topology) const
{
    if (!HasSwitch(static_cast<uint32_t>(line.members.size())))
    {
        return;
    }
    const VertexId center = topology.AddVertex(VertexKind::Switch, line.switchName);
    for (const VertexId member : line.members)
    {
        topology.AddLink(member, center, line.rate.bandwidth, line.rate.latency, line.dimension);
    }
}

NADI_REGISTER(Shape, SwitchShape, "switch");

} // namespace nadi
