/** Printable ASCII. */
export const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

/**
 * The Chinese characters that the native policy knows: those of user interfaces, and others that are common. None occurs twice.
 */
export const hanzi =
  '保存取消确定关闭打开新建复制粘贴撤销重做搜索设置首页返回下一步上完成提交登录退出注册用户密码邮箱手机' +
  '电话地址姓名性别年龄生日城市国家语言中文英时间期今天明午星月份件夹图片视频音乐相照气历钟备忘通知息聊' +
  '联系人好友群收藏喜欢评论分享转发载传更升级安装应软统网络蓝牙无线热点流量池亮度静壁纸主题字体大小颜色' +
  '红黑显示屏幕键盘印扫描连接账全隐私权限管理员会积优惠券购物车订单支付款货商品价格数库店客服帮助反馈于' +
  '版本史最近部类标签列表详情编号称型状态始结束暂停继续播放止循环随快进后刷加试失败功错误警告信内容正作' +
  '者来源布草稿预览选择清空移动命排序筛替换插入公式面对齐居粗未读已在离司门职位工学校老师课程业考绩计划' +
  '任务目项议报合同产据析导恢默认自启允许拒绝意验证找记住我的个心夜模省飞行早餐水果牛奶咖啡包米饭火铁酒' +
  '票旅医院健康运跑睡眠闻育影游戏说财经科技直粉丝赞附现钱银卡余额庭园太阳山花春秋白马东方西南海叶查看声' +
  '昨北京黄紫储区条箭夏瓜台航组短删除辑添修改送末头像昵截递铺绿橙灰鼠断卸浏书缓倍速画质弹窗按钮菜拉输周' +
  '冬青河苹香蕉茶晚租高房药漫阅写义常多推荐垃圾桶爱形铃锁减左右击到请哪里第二三四五六七八九十框滑块器链' +
  '元圆角菱边勾了禁有焦之和那处着什么几述要变化是否值少以尾叫为岁秒共次千百万没可柱这让能把就也都比又并' +
  '但如当从再很低长前外旧';

/** Every character that the native policy can read on a screen and write, without the line feed. */
export const alphabet: readonly string[] = [...ascii, ...hanzi];
