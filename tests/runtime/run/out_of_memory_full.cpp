namespace weir::testing {
extern const long every_one_of;
const long every_one_of = 4000;
}  // namespace weir::testing
