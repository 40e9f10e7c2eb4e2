// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/streams-section.h"

#include "configuration/sections.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace nadi
{

namespace
{

/// Tags, the first and the last.
using TagRange = std::pair<uint64_t, uint64_t>;

constexpr std::string_view TO = "..";

std::optional<uint64_t>
ParseTag(std::string_view text)
{
    uint64_t tag = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tag);
    const bool isTag = error == std::errc() && end == text.data() + text.size();
    return isTag ? std::optional(tag) : std::nullopt;
}

/// A single tag is a range of one.
TagRange
ReadTags(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a range of tags such as 1000..1999");
    const std::string_view whole(text);
    const size_t between = whole.find(TO);
    const std::optional<uint64_t> first = ParseTag(whole.substr(0, between));
    const std::optional<uint64_t> last =
        between == std::string_view::npos ? first : ParseTag(whole.substr(between + TO.size()));
    if (!first || !last)
    {
        node.Fail("\"" + text + "\" is no range of tags; write one such as 1000..1999, or a tag");
    }
    if (*last < *first)
    {
        node.Fail("\"" + text + "\" ends before it begins; write the smaller tag first");
    }
    return {*first, *last};
}

Codec<TagRange>
MakeTagsCodec()
{
    Codec<TagRange> codec;
    codec.schema = []
    {
        return Json{
            {"title", "a range of tags"},
            {"anyOf",
             Json::array({Json{{"type", "integer"}, {"minimum", 0}},
                          Json{{"type", "string"}, {"pattern", "^[0-9]+(\\.\\.[0-9]+)?$"}}})}};
    };
    codec.read = ReadTags;
    codec.write = [](const TagRange& tags)
    {
        return tags.first == tags.second ? Json(tags.first)
                                         : Json(fmt::format("{}{}{}", tags.first, TO, tags.second));
    };
    return codec;
}

/// A range as its keys say it.
struct NamedTags
{
    MessageKind kind = MessageKind::Pipeline;
    TagRange tags;
};

Codec<MessageKind>
MakeKindCodec()
{
    std::vector<std::pair<std::string_view, MessageKind>> choices;
    for (const MessageKind kind : MESSAGE_KINDS)
    {
        choices.emplace_back(ToText(kind), kind);
    }
    return MakeChoiceCodec(choices);
}

Section
DescribeNamedTags(NamedTags& named)
{
    return {
        WithExample(MakeRequiredField("name",
                                      named.kind,
                                      MakeKindCodec(),
                                      "The kind of the messages. Those of pipeline take the stream "
                                      "of all messages that have no kind."),
                    "kv"),
        WithExample(MakeRequiredField("tags",
                                      named.tags,
                                      MakeTagsCodec(),
                                      "The tags (comm_tag) of these messages: from the first to "
                                      "the last, or a single one."),
                    "1000..1999"),
    };
}

Codec<TagKind>
MakeTagKindCodec()
{
    const Codec<NamedTags> named = MakeMappingCodec<NamedTags>(&DescribeNamedTags);
    Codec<TagKind> codec;
    codec.schema = named.schema;
    codec.read = [read = named.read](const ConfigNode& node)
    {
        const NamedTags entry = read(node);
        return TagKind{entry.kind, entry.tags.first, entry.tags.second};
    };
    codec.write = [write = named.write](const TagKind& kind) {
        return write({kind.kind, {kind.first, kind.last}});
    };
    return codec;
}

/// A tag has one kind, so no two ranges may meet.
void
CheckRanges(const ConfigNode& node, const std::vector<TagKind>& kinds)
{
    for (size_t later = 1; later < kinds.size(); ++later)
    {
        for (size_t earlier = 0; earlier < later; ++earlier)
        {
            if (kinds[later].first <= kinds[earlier].last &&
                kinds[earlier].first <= kinds[later].last)
            {
                node.children[later].Fail(fmt::format(
                    "has tags that entry {} has as well; write ranges that do not meet", earlier));
            }
        }
    }
}

} // namespace

Field
MakeStreamsField(std::vector<TagKind>& kinds)
{
    Codec<std::vector<TagKind>> codec = MakeListCodec(MakeTagKindCodec(),
                                                      "a list of {name, tags} such as "
                                                      "[{name: kv, tags: 1000..1999}]");
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        std::vector<TagKind> ranges = read(node);
        CheckRanges(node, ranges);
        return ranges;
    };
    return WithExample(
        MakeField("streams",
                  kinds,
                  codec,
                  "Which tags of messages between two ranks have which kind. Messages of different "
                  "kinds have queue pairs of their own, so that they do not wait for each other. A "
                  "node with the attribute comm_kind needs no entry."),
        Json::array({{{"name", "kv"}, {"tags", "1000..1999"}}}));
}

} // namespace nadi
