// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/link-codec.h"

namespace nadi
{

Codec<LinkEnds>
MakeLinkCodec()
{
    const Codec<std::string> name = MakeTextCodec("the name of a node, such as npu0");
    Codec<LinkEnds> codec;
    codec.schema = [name] {
        return Json{
            {"type", "array"}, {"items", name.schema.Get()}, {"minItems", 2}, {"maxItems", 2}};
    };
    codec.read = [name](const ConfigNode& node) -> LinkEnds
    {
        if (node.kind != ConfigNode::Kind::List || node.children.size() != 2)
        {
            node.Fail("is not a link; write the names of its two ends, such as [npu0, leaf0]");
        }
        return {.from = name.read(node.children[0]),
                .to = name.read(node.children[1]),
                // FindLinks looks the names up when the topology is made. Errors then need this
                // place.
                .where = node.Where() + ": " + node.Path()};
    };
    codec.write = [](const LinkEnds& ends) { return Json::array({ends.from, ends.to}); };
    return codec;
}

} // namespace nadi
