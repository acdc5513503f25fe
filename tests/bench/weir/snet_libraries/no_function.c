/* weir_boxes is no function. */
__attribute__((visibility("default"))) const char weir_boxes_version[] = "0.1.0";
__attribute__((visibility("default"))) int weir_boxes = 3;
